"""Files of tables as the command line and the lab read them.

In: a path, or bytes. Out: columns with the types that were guessed from all rows, and frames for models. files.py knows
formats (many_files.py: several files as one), guessing.py and kinds.py know columns, reading.py makes frames (parts.py:
piece by piece; streaming.py: those of large files, which stay on the disk), and recipe.py is what a model's file keeps
of them. errors.py: what is wrong with a table, in one sentence.

Needs polars, and fastexcel for Excel workbooks.
"""
