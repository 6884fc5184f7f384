"""Growing one tree: what all trees decide alike, and four engines of one anatomy.

    histogram/   boosting: sums of gradients and hessians, bin by bin
    lists/       exact trees: every column sorted once, every threshold tried
    codes/       the trees of forests: sums over coded columns, each tree by one thread
    branches/    ID3 and C4.5: one branch for each category, rows in parts

    memory       the growing tree, and room to work in
    statistics   what rows add to the sums of a node
    search       the best split of a node (scan_*: of one column)
    partition    the node's rows go to its children
    grower       the loop: search, settle on a split, partition, and again, until no node may be split
    freeze       what is kept of the grown tree

Above them: `rules.py`, the rule book; `settings.py`, from parameters to rules; `targets.py`, targets in whole numbers;
`frontier.py`, the order in which nodes are split; `describe.py`, what nodes say. `batched.py` is the loop of histogram/
for machines that are not this CPU.
"""
