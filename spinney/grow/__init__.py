"""Growing one tree: the rules that all trees share, and four engines with the same parts.

    boosting/    gradient boosting: histograms of gradients and hessians, one tree by a team of threads
    exact/       CART: every column sorted once, every threshold tried
    binned/      the trees of forests: sums over coded columns, each tree by one thread
    multiway/    ID3 and C4.5: one branch for each category, rows split into parts

and one search that begins with a tree of theirs:

    optimal/     the tree of smallest training error up to a depth, by dynamic programming with bounds

What is where, in each of them:

    memory       the growing tree, and working memory
    statistics   boosting/, optimal/: the sums of a node's rows; in boosting/ histograms.py has those of bins
    search       the best split of a node (scan_*, search_*: of one column, or by the kind of sums)
    choose_split boosting/: the best column of those searched, and the next node
    partition    the node's rows go to its children
    grower       the loop: search, choose a split, partition, until no node may be split; in exact/ and binned/ small
                 subtrees, too
    leaves       boosting/: sums of leaves in finer units, their values, pruning
    linear       boosting/: slopes of leaves
    freeze       the grown tree as a `Forest` (in binned/ and optimal/ in fit.py)
    fit          exact/, binned/: a table and a target in, a tree out

    dense, sparse, sorted   boosting/: what a layout adds to the loop in grower.py: codes, stored cells, sorted lists
    sparse       exact/: the same tree from a sparse table
    stumps       exact/: trees of one split from one large table, for AdaBoost
    random_cuts  exact/: trees with random thresholds, without sorted columns
    category_order   binned/: categories as numbers
    id3, c45     multiway/: the two algorithms (c45.py has its pruning); limits.py: splits that a limit undoes;
                 columns.py: columns and weights as they read them

In optimal/: statistics.py (integer costs), last_levels.py (the best two levels), search.py (a good first tree, bounds,
the cache of solved sets of rows), fit.py (all tests as thresholds on ordered columns).

Shared by them: rules.py, the rules and the order in which nodes are split; targets.py, targets as integers;
node_values.py, what nodes say: answers, impurity, weight.
"""

NO_LIMIT = 1 << 30  # a number of levels, leaves or columns that no tree reaches
