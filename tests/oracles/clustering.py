"""The slow, obvious twins of cluster/: the oracles of its tests.

k-means here measures every row against every centre, one number after the other in the rows' own dtype, and takes means
as fractions. EM here is the textbook's: densities by `scipy`'s multivariate normal, means and covariances by sums
over rows, and for rows with missing values the conditional expectations of what is missing. Nothing is shared with
the kernels.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.special import logsumexp, psi
from scipy.stats import multivariate_normal


def nearest_centre(row: np.ndarray, centres: np.ndarray) -> int:
    """The first centre with the lowest |c|²/2 - x·c."""
    best, label = np.inf, 0
    for number, centre in enumerate(centres):
        score = centre.dtype.type(0.5 * sum(float(c) * float(c) for c in centre))
        for x, c in zip(row, centre):
            score = score - x * c
        if score < best:
            best, label = score, number
    return label


def lloyd(
    rows: np.ndarray, weights: list[int], centres: np.ndarray, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """(labels, centres, iterations) of Lloyd's algorithm until no label changes, or no centre."""
    labels = np.full(len(rows), -1)
    for number in range(1, max_iter + 1):
        before, labels = labels, np.array([nearest_centre(row, centres) for row in rows])
        if (before == labels).all():
            return labels, centres, number
        old, centres = centres, np.array([_mean(rows, weights, labels, k) for k in range(len(centres))], rows.dtype)
        if (old == centres).all():
            break
    return np.array([nearest_centre(row, centres) for row in rows]), centres, number


def _mean(rows: np.ndarray, weights: list[int], labels: np.ndarray, k: int) -> list[float]:
    own = [i for i in range(len(rows)) if labels[i] == k and weights[i] > 0]
    if not own:
        raise ValueError("the twin knows nothing of centres without rows")
    total = sum(weights[i] for i in own)
    return [float(sum(Fraction(float(rows[i, j])) * weights[i] for i in own) / total) for j in range(rows.shape[1])]


def squared_distance(row: np.ndarray, other: np.ndarray) -> float:
    """In the rows' dtype, column after column."""
    total = row.dtype.type(0)
    for x, c in zip(row, other):
        total = total + (x - c) * (x - c)
    return total


def plus_plus(rows: np.ndarray, counts: list[int], scale: float, draws: list[list[int]], n_centres: int) -> list[int]:
    """Greedy k-means++; `draws[k]` are the random integers of 64 bits for centre k."""
    chosen = [_pick(counts, draws[0][0] * sum(counts) >> 64)]
    closest = [squared_distance(row, rows[chosen[0]]) for row in rows]
    for k in range(1, n_centres):
        parts = [int(float(distance) * scale) * count for distance, count in zip(closest, counts)]
        if sum(parts) == 0:
            parts = counts
        candidates = [_pick(parts, draw * sum(parts) >> 64) for draw in draws[k]]
        after = [[min(a, squared_distance(row, rows[c])) for a, row in zip(closest, rows)] for c in candidates]
        sums = [sum(int(float(d) * scale) * count for d, count in zip(one, counts)) for one in after]
        best = sums.index(min(sums))
        chosen.append(candidates[best])
        closest = after[best]
    return chosen


def _pick(parts: list[int], goal: int) -> int:
    """The first place at which the sum of the parts passes the goal."""
    for place, part in enumerate(parts):
        goal -= part
        if goal < 0:
            return place
    raise AssertionError


def log_densities(rows: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """(rows, components): log density of what is known of each row."""
    found = np.zeros((len(rows), len(means)))
    for i, row in enumerate(rows):
        known = ~np.isnan(row)
        if known.any():
            for k, (mean, covariance) in enumerate(zip(means, covariances)):
                part = covariance[np.ix_(known, known)]
                found[i, k] = multivariate_normal(mean[known], part).logpdf(row[known])
    return found


def em_step(
    rows: np.ndarray, row_weights: np.ndarray, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """(mean log-likelihood before the step, new weights, means, covariances); all covariances are full ones."""
    joint = log_densities(rows, means, covariances) + np.log(weights)
    total = logsumexp(joint, axis=1)
    shares = np.exp(joint - total[:, None]) * row_weights[:, None]
    new_means, new_covariances = np.zeros_like(means), np.zeros_like(covariances)
    for k in range(len(means)):
        filled = [_fill(row, means[k], covariances[k]) for row in rows]
        new_means[k] = sum(s * f for s, (f, _) in zip(shares[:, k], filled)) / shares[:, k].sum()
        for share, (full, spread) in zip(shares[:, k], filled):
            gap = full - new_means[k]
            new_covariances[k] += share * (np.outer(gap, gap) + spread)
        new_covariances[k] /= shares[:, k].sum()
    likelihood = float((row_weights * total).sum() / row_weights.sum())
    return likelihood, shares.sum(axis=0) / row_weights.sum(), new_means, new_covariances


def _fill(row: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The expected row given what is known of it, and the covariance of what is not."""
    gone, known = np.isnan(row), ~np.isnan(row)
    full, spread = row.copy(), np.zeros_like(covariance)
    if not gone.any():
        return full, spread
    across = covariance[np.ix_(gone, known)] @ np.linalg.pinv(covariance[np.ix_(known, known)])
    full[gone] = mean[gone] + across @ (row[known] - mean[known])
    spread[np.ix_(gone, gone)] = covariance[np.ix_(gone, gone)] - across @ covariance[np.ix_(known, gone)]
    return full, spread


def running_means(
    batches: list[np.ndarray], weights: list[list[int]], centres: np.ndarray
) -> tuple[np.ndarray, list[int], list[float]]:
    """k-means by batches, without reassignment: centres, what each has learnt from, each batch's sum of squares."""
    totals, counts, losses = [[Fraction(0)] * centres.shape[1] for _ in centres], [0] * len(centres), []
    for batch, own in zip(batches, weights):
        labels = [nearest_centre(row, centres) for row in batch]
        losses.append(sum(w * float(squared_distance(row, centres[k])) for row, w, k in zip(batch, own, labels)))
        for row, weight, k in zip(batch, own, labels):
            counts[k] += weight
            totals[k] = [total + weight * Fraction(float(x)) for total, x in zip(totals[k], row)]
        rows = [
            [float(total / count) for total in own_total] if count else list(before)
            for own_total, count, before in zip(totals, counts, centres)
        ]
        centres = np.array(rows, centres.dtype)
    return centres, counts, losses


def bisected(rows: np.ndarray, weights: list[int], n_clusters: int, by_size: bool) -> list[list[int]]:
    """Leaves of a tree of splits, from left to right: each split is `lloyd` from the leaf's two extreme rows."""
    leaves = [list(range(len(rows)))]
    worth = [0.0]
    while len(leaves) < n_clusters:
        at = max(range(len(leaves)), key=lambda i: (worth[i] if len(leaves[i]) > 1 else -1.0, -i))
        own, own_weights = rows[leaves[at]], [weights[i] for i in leaves[at]]
        labels, centres, _ = lloyd(own, own_weights, extreme_pair(own), 100)
        parts, sums = [], []
        for side in (0, 1):
            here = [i for i, label in zip(leaves[at], labels) if label == side]
            squares = sum(weights[i] * float(squared_distance(rows[i], centres[side])) for i in here)
            parts.append(here)
            sums.append(float(sum(weights[i] for i in here)) if by_size else squares)
        leaves[at : at + 1], worth[at : at + 1] = parts, sums
    return leaves


def extreme_pair(rows: np.ndarray) -> np.ndarray:
    """The first and the last row in the order of their values."""
    order = np.lexsort(rows.T[::-1])
    return rows[[order[0], order[-1]]]


def variational_step(
    rows: np.ndarray,
    row_weights: np.ndarray,
    state: dict[str, np.ndarray],
    prior: dict[str, object],
) -> tuple[float, dict[str, np.ndarray]]:
    """One step of variational inference with full covariances and a Dirichlet prior (Bishop 10.46 to 10.63).

    Returns the sum of the rows' logarithms before it, and the posterior after it.
    """
    d = rows.shape[1]
    spread = psi(0.5 * (state["freedom"] - np.arange(d)[:, None])).sum(axis=0) + d * np.log(2.0)
    known = d * np.log(state["freedom"]) + d / state["mean_precision"]
    weight = psi(state["concentration"]) - psi(state["concentration"].sum())
    joint = log_densities(rows, state["means"], state["covariances"]) + weight + 0.5 * (spread - known)
    total = logsumexp(joint, axis=1)
    shares = np.exp(joint - total[:, None]) * row_weights[:, None]
    n = shares.sum(axis=0)
    after = {
        "concentration": prior["concentration"] + n,
        "mean_precision": prior["mean_precision"] + n,
        "freedom": prior["freedom"] + n,
        "means": np.zeros_like(state["means"]),
        "covariances": np.zeros_like(state["covariances"]),
    }
    for k in range(len(n)):
        filled = [_fill(row, state["means"][k], state["covariances"][k]) for row in rows]
        middle = sum(s * full for s, (full, _) in zip(shares[:, k], filled)) / n[k]
        scatter = np.array(prior["covariance"], float)
        for share, (full, rest) in zip(shares[:, k], filled):
            scatter += share * (np.outer(full - middle, full - middle) + rest)
        gap = middle - prior["mean"]
        scatter += n[k] * prior["mean_precision"] / after["mean_precision"][k] * np.outer(gap, gap)
        after["means"][k] = prior["mean_precision"] * prior["mean"] + n[k] * middle
        after["means"][k] /= after["mean_precision"][k]
        after["covariances"][k] = scatter / after["freedom"][k]
    return float((row_weights * total).sum()), after
