"""Growing one tree: the rules that all trees share, and four engines with the same parts.

    histogram/   boosting: sums of gradients and hessians, bin by bin
    lists/       exact trees: every column sorted once, every threshold tried
    codes/       the trees of forests: sums over coded columns, each tree by one thread
    branches/    ID3 and C4.5: one branch for each category, rows split into parts

    memory       the growing tree, and working memory
    statistics   the sums of a node's rows
    search       the best split of a node (scan_*: of one column)
    partition    the node's rows go to its children
    grower       the loop: search, choose a split, partition, until no node may be split
    freeze       the grown tree as a `Forest`

Shared by them: `rules.py`, the rules; `settings.py`, from parameters to rules; `targets.py`, targets as integers;
`frontier.py`, the order in which nodes are split; `describe.py`, the values of nodes. `batched.py` is the loop of
histogram/ for GPUs and clusters.
"""
