"""The tree of smallest training error up to a depth, by dynamic programming with bounds.

    fit          the room's front door: every split that is tried, as a threshold on an ordered column; and the tree
                 found as a `DecisionTree`
    statistics   the cost of a leaf, as an integer
    memory       the problem, and working memory
    last_levels  the best tree of up to two levels, by counts of pairs of codes
    search       depth first over sets of rows, from the root by all threads: a good first tree, what one solved split
                 proves about its neighbours, and a cache of solved sets of rows

A *test* is a column and a code: rows with codes up to it go left. A *cost* is an integer, so that sums of costs are the
same in any order and a proof is not a matter of rounding.
"""
