"""Reads files of tables for the command line and the lab.

In: a path, or bytes. Out: columns with types detected from all rows, and frames for models. files.py handles formats;
kinds.py handles columns; reading.py makes frames, whole or in parts, or of large files, which stay on disk;
recipe.py is what a model file stores about a table; errors.py has the errors.

Needs polars, and fastexcel for Excel workbooks.
"""
