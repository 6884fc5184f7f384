"""Pruning: a fitted tree in, a smaller one out."""
