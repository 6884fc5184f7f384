"""Growing one tree: a rule book (`rules.py`) and four engines of one anatomy.

    histogram/   boosting: sums of gradients and hessians, bin by bin
    lists/       exact trees: every column sorted once, every threshold tried
    codes/       the trees of forests: sums over coded columns, each tree by one thread
    branches/    ID3 and C4.5: one branch for each category, rows in parts

Each has its `memory`, the `statistics` of rows, the `search` of splits, the `partition` of rows, a `grower` (the loop)
and a `freeze` (what is kept of the grown tree). `batched.py` is the first one's loop for machines
that are not this CPU.
"""
