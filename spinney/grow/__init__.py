"""Growing one tree: the rules that all trees share, and four engines with the same parts.

    boosting/    gradient boosting: histograms of gradients and hessians (sparse.py: of sparse tables; sorted.py: exact)
    exact/       CART: every column sorted once, every threshold tried
    binned/      the trees of forests: sums over coded columns, each tree by one thread
    multiway/    ID3 and C4.5: one branch for each category, rows split into parts

and one search that begins with a tree of theirs:

    optimal/     the tree of smallest training error up to a depth, by dynamic programming with bounds

    memory       the growing tree, and working memory
    statistics   the sums of a node's rows
    search       the best split of a node (scan_*: of one column)
    partition    the node's rows go to its children
    grower       the loop: search, choose a split, partition, until no node may be split
    freeze       the grown tree as a `Forest`

Shared by them: `rules.py`, the rules; `targets.py`, targets as integers;
`frontier.py`, the order in which nodes are split; `describe.py`, the values of nodes.
"""
