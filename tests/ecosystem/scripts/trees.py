"""A tree read, drawn and pruned."""

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_graphviz, export_text, plot_tree

data = load_iris()
X, y, names = data.data, data.target, data.feature_names[::3]
tree = DecisionTreeClassifier(max_depth=2, criterion="entropy", random_state=0).fit(X[:, ::3], y)
outcome = {
    "depth": tree.get_depth(),
    "leaves": tree.get_n_leaves(),
    "nodes": tree.tree_.node_count,
    "impurity": float(tree.tree_.impurity[0]),
    "rows": tree.tree_.n_node_samples.tolist(),
    "shares": tree.predict_proba(X[:3, ::3]).tolist(),
    "path": tree.decision_path(X[:1, ::3]).toarray().tolist(),
    "applied": tree.apply(X[:3, ::3]).tolist(),
    "importances": tree.feature_importances_.round(6).tolist(),
    "text": "petal width" in export_text(tree, feature_names=names),
    "dot": export_graphviz(tree, out_file=None, feature_names=names).startswith("digraph"),
    "boxes": len(plot_tree(tree, feature_names=names, class_names=list(data.target_names), filled=True)) >= 5,
}
path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y)
outcome["alphas"] = path.ccp_alphas.shape == path.impurities.shape
outcome["total impurity"] = float(path.impurities[-1])
outcome["pruned"] = DecisionTreeClassifier(ccp_alpha=0.02, random_state=0).fit(X, y).get_n_leaves()
outcome["balanced"] = DecisionTreeClassifier(class_weight="balanced", max_leaf_nodes=4).fit(X, y).score(X, y)
step = DecisionTreeRegressor(max_depth=3, criterion="absolute_error").fit(X[:, :1], X[:, 2])
outcome["steps"] = np.unique(step.predict(X[:, :1])).size
outcome["held out"] = cross_val_score(DecisionTreeClassifier(max_depth=3, random_state=0), X, y, cv=5).mean()
within = {}
