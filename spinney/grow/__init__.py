"""Growing one tree: the rules that all trees share, and four engines with the same parts.

    boosting/    gradient boosting: histograms of gradients and hessians, one tree by a team of threads
    exact/       CART: every column sorted once, every threshold tried
    binned/      the trees of forests: sums over coded columns, each tree by one thread
    multiway/    ID3 and C4.5: one branch for each category, rows split into parts

and one search that begins with a tree of theirs:

    optimal/     the tree of smallest training error up to a depth, by dynamic programming with bounds

What is where, in each of them:

    memory       the growing tree, and working memory
    statistics   the sums of a node's rows; in boosting/ histograms.py has those of bins
    search       the best split of a node (scan_*, search_*: of one column, or by the kind of sums)
    choose_split the best column of those searched, and the next node
    partition    the node's rows go to its children
    grower       the loop: search, choose a split, partition, until no node may be split
    leaves       boosting/: sums of leaves in finer units, their values, pruning
    freeze       the grown tree as a `Forest`
    fit          exact/, binned/: a table and a target in, a tree out

    dense, sparse, sorted   boosting/: what a layout adds to the loop in grower.py: codes, stored cells, sorted lists
    sparse       exact/: the same tree from a sparse table (sparse_scan: of one column)
    stumps       exact/: trees of one split from one large table, for AdaBoost
    small_subtrees   exact/, binned/: subtrees of up to 64 rows
    category_order   binned/: categories as numbers
    id3, c45     multiway/: the two algorithms (c45.py has its pruning); limits.py: splits that a limit undoes;
                 columns.py: columns and weights as they read them

In optimal/: ordered_columns.py (all tests as thresholds), statistics.py (integer costs), bounds.py, cache.py (solved
sets of rows), last_levels.py (the best two levels), look_ahead.py (a good first tree), search.py, freeze.py, fit.py.

Shared by them: rules.py, the rules and the order in which nodes are split; targets.py, targets as integers;
describe.py, the values of nodes.
"""

NO_LIMIT = 1 << 30  # a number of levels, leaves or columns that no tree reaches
