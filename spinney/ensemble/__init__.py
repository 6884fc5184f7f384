"""Room 6: many models."""
