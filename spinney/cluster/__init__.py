"""Clustering: k-means and Gaussian mixtures."""
