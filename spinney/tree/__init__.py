"""Room 3: what a tree is."""
