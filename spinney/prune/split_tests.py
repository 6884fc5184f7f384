"""The chi-squared test of every split of a tree, compiled."""

from __future__ import annotations

from spinney._compile import kernel
from spinney.criteria.significance import number_statistic, table_statistic


@kernel
def judge_class_splits(
    child_start,  # in
    children,  # in
    weight,  # in
    answers,  # in: (node, output, class)
    critical,  # in: critical value of each number of degrees of freedom
    counts,  # work: (most branches, classes)
    rows,  # work: (most branches,)
    columns,  # work: (classes,)
    passes,  # out, zeros: whether some output's test says that the split is no chance
):
    """Test each split's table of branches by classes, for each output."""
    for node in range(passes.size):
        begin, n_branches = child_start[node], child_start[node + 1] - child_start[node]
        if n_branches == 0:
            continue
        for k in range(answers.shape[1]):
            for b in range(n_branches):
                child = children[begin + b]
                for c in range(columns.size):
                    # an empty branch answers with its parent's counts
                    counts[b, c] = answers[child, k, c] if weight[child] > 0.0 else 0.0
            statistic, degrees = table_statistic(counts, rows[:n_branches], columns)
            if statistic > critical[degrees]:
                passes[node] = 1


@kernel
def judge_number_splits(
    child_start,  # in
    children,  # in
    weight,  # in
    impurity,  # in: variance
    critical,  # in
    passes,  # out, zeros
):
    """Test each split by the share of the variance that it explains."""
    for node in range(passes.size):
        total, left_over, n_branches = 0.0, 0.0, 0
        for place in range(child_start[node], child_start[node + 1]):
            child = children[place]
            total += weight[child]
            left_over += weight[child] * impurity[child]
            n_branches += weight[child] > 0.0
        if n_branches > 1 and number_statistic(total, impurity[node], left_over / total) > critical[n_branches - 1]:
            passes[node] = 1
