"""Input of any kind, read and encoded once: what trees are fitted on and what they predict for.

read         reading.py: any input as a table; schema.py: names, kinds and categories of its columns
             tables.py: its columns as panels of numbers; one_row.py: single rows; finite.py: infinite values
sparse       sparse.py: SciPy matrices and sparse frames; sparse_encode.py, sparse_presort.py: the same of these
target       target.py: the target; weights.py: weights as repetitions or importances
encode       edges.py: where bins end; encode.py: bins learned, tables as codes; dataset.py: the encoded table
             thresholds.py: values that stand for bins
sort         presort.py: every column sorted once, for exact trees
rows         row_hash.py: orders that depend on row contents; holdout.py: training rows and held-out rows
many fits    opened_table.py: a table read, sorted and binned once for many fits on some of its rows
elsewhere    remote_table.py: rows on the workers of a cluster; on_gpu.py: rows on a GPU
files/       tables larger than memory
  open_table.py      `spinney.open_table`
  batches.py         data read piece by piece; csv.py: blocks of whole lines
  streamed.py        the passes for schema, bins and codes
  streamed_rows.py   the rows of such a table as a fit gets them: bins and codes, no values
  store.py           encoded tables kept in a folder
"""
