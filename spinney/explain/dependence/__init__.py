"""How predictions change with columns."""
