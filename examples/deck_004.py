"""A lecture on tree variants, ensembles and clustering: the numbers on its slides, and Spinney's.

    python examples/deck_004.py

Tsallis' entropy, confusion matrices, AdaBoost on eight patients, k-means, EM. docs/lectures.md goes through the slides
one by one.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_blobs

from spinney import DecisionTreeClassifier, GaussianMixture, KMeans, RandomForestClassifier, elbow
from spinney.criteria import amount_of_say, entropy, gini, reweight, tsallis
from spinney.datasets import load_heart, load_penguins
from spinney.evaluate import confusion_matrix

Lines = list[tuple[str, str, str]]  # what, on the slide, Spinney


def main() -> Lines:
    """Print and return all lines."""
    lines = [*measures(), *metrics(), *heart(), *clusters(), *mixture()]
    for what, slide, ours in lines:
        print(f"{what:<58}{slide:>24}{ours:>24}")
    return lines


def measures() -> Lines:
    """Gini and Shannon as cases of Tsallis' entropy."""
    counts = [67, 65, 168]
    return [
        ("Tsallis' entropy with q = 2 is Gini", f"{gini(counts):.4f}", f"{tsallis(counts, q=2):.4f}"),
        ("with q = 1 Shannon's, in nats", f"{entropy(counts) * np.log(2):.4f}", f"{tsallis(counts, q=1):.4f}"),
    ]


def metrics() -> Lines:
    """Precision, recall, specificity, accuracy and F1 of 3 + 1 and 1 + 5 rows."""
    truth, said = ["yes"] * 4 + ["no"] * 6, ["yes"] * 3 + ["no"] + ["yes"] + ["no"] * 5
    one = confusion_matrix(truth, said).of("yes")
    tp, fn, fp, tn = one.tp, one.fn, one.fp, one.tn
    forest = RandomForestClassifier(100, oob_score=True, random_state=0).fit(*load_penguins())
    return [
        ("TP, FN, FP, TN", "-", f"{tp:g} {fn:g} {fp:g} {tn:g}"),
        ("Precision TP / (TP + FP)", "-", f"{tp / (tp + fp):.2f}"),
        ("Recall TP / (TP + FN)", "-", f"{tp / (tp + fn):.2f}"),
        ("Specificity TN / (FP + TN)", "-", f"{tn / (fp + tn):.2f}"),
        ("Accuracy", "-", f"{(tp + tn) / 10:.2f}"),
        ("Out-of-bag error of a forest, penguins", "-", f"{1 - forest.oob_score_:.3f}"),
    ]


def heart() -> Lines:
    """One round of AdaBoost on eight patients."""
    X, y = load_heart()
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    step = reweight(stump.predict(X) != y)
    wrong = stump.predict(X) != y
    return [
        ("Best stump", "Weight > 176", f"{X.columns[stump.tree_.feature[0]]} > {stump.tree_.threshold[0]:g}"),
        ("Total error", "1/8", f"{step.error}"),
        ("Amount of say", "0.97", f"{step.amount_of_say:.2f}"),
        ("New weight of the wrong row", "0.33", f"{step.unnormalised[wrong][0]:.2f}"),
        ("New weight of the others", "0.05", f"{step.unnormalised[~wrong][0]:.2f}"),
        ("Their ratio, (1 - error) / error", "7", f"{step.unnormalised[wrong][0] / step.unnormalised[~wrong][0]:.0f}"),
        (
            "Amount of say of errors 0, 1/2, 1",
            "large, 0, negative",
            " ".join(f"{amount_of_say(e):.1f}" for e in (0, 0.5, 1)),
        ),
    ]


def clusters() -> Lines:
    """k-means: the sum of squared errors falls, and bends at the number of clusters."""
    X, _ = make_blobs(300, centers=[[0, 0], [6, 0], [3, 5]], random_state=0)
    model = KMeans(3, init="random", n_init=1, keep_history=True, random_state=1).fit(X)
    sse = [float(one.inertia) for one in model.history_]
    return [
        ("k-means: SSE, first and last iteration", "falls", f"{sse[0]:.0f} and {sse[-1]:.0f}"),
        ("Elbow of the SSE", "K = 3", f"K = {elbow(X, range(1, 8), random_state=0).suggested_k}"),
    ]


def mixture() -> Lines:
    """EM from means -2 and 3, both standard deviations 2, equal weights."""
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(-4, 2, 10_000), random.normal(4, 2, 10_000)])[:, None]
    given = {"means_init": [[-2.0], [3.0]], "weights_init": [0.5, 0.5], "precisions_init": [0.25, 0.25]}
    start = GaussianMixture(2, covariance_type="spherical", max_iter=0, **given).fit(X)
    densities, shares = start.component_densities([[0.0]])[0], start.predict_proba([[0.0]])[0]
    fitted = GaussianMixture(2, covariance_type="spherical", tol=1e-6, max_iter=300, **given).fit(X)
    means = fitted.means_[:, 0]
    return [
        ("Densities at x = 0", "0.12 and 0.06", f"{densities[0]:.2f} and {densities[1]:.2f}"),
        ("Responsibilities at x = 0, rounded on the slide", "0.66 and 0.33", f"{shares[0]:.2f} and {shares[1]:.2f}"),
        ("Means of 20,000 rows around -4 and 4, from -2 and 3", "-", f"{means[0]:.2f} and {means[1]:.2f}"),
    ]


if __name__ == "__main__":
    main()
