"""The tree of smallest training error up to a depth, by dynamic programming with bounds.

    ordered_columns   every split that is tried, as a threshold on an ordered column
    statistics        the cost of a leaf, as an integer
    memory            the problem, and working memory
    last_levels       the best tree of up to two levels, by counts of pairs of codes
    bounds            what one solved split proves about its neighbours
    cache             solved sets of rows
    search            depth first over sets of rows, from the root by all threads
    freeze            the tree found as a `DecisionTree`
    fit               the room's front door

A *test* is a column and a code: rows with codes up to it go left. A *cost* is an integer, so that sums of costs are the
same in any order and a proof is not a matter of rounding.
"""
