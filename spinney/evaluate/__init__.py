"""How models are judged."""
