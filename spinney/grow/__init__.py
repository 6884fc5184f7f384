"""Room 4: a Dataset and statistics become a tree, on the CPU."""
