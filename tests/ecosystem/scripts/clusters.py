"""k-means and mixtures: alone, in pipelines, judged and searched."""

import numpy as np
from sklearn.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, truth = make_blobs(600, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], cluster_std=0.8, random_state=0)
outcome = {}
for model in (
    KMeans(n_clusters=4, n_init=5, random_state=0),
    MiniBatchKMeans(n_clusters=4, n_init=5, random_state=0),
    BisectingKMeans(n_clusters=4, random_state=0),
):
    name, labels = type(model).__name__, model.fit_predict(X)
    outcome[name] = adjusted_rand_score(truth, labels)
    outcome[f"{name} inertia"] = model.inertia_ / len(X)
    outcome[f"{name} centres"] = sorted((np.round(model.cluster_centers_) + 0.0).tolist())
    outcome[f"{name} distances"] = model.transform(X).shape
    outcome[f"{name} width"] = silhouette_score(X, model.predict(X))
    outcome[f"{name} names"] = list(model.get_feature_names_out())
    outcome[f"{name} score"] = model.score(X) / len(X)
outcome["given"] = KMeans(4, init=X[:4], n_init=1).fit(X).n_iter_ >= 1
outcome["weights"] = KMeans(4, n_init=5, random_state=0).fit(X, sample_weight=np.ones(len(X))).inertia_ / len(X)
outcome["elbow"] = [KMeans(k, n_init=5, random_state=0).fit(X).inertia_ / len(X) for k in (3, 4, 5)]
pipe = make_pipeline(StandardScaler(), KMeans(4, n_init=5, random_state=0), LogisticRegression())
outcome["before a model"] = pipe.fit(X, truth).score(X, truth)

for kind in ("full", "tied", "diag", "spherical"):
    mixture = GaussianMixture(4, covariance_type=kind, n_init=3, random_state=0).fit(X)
    outcome[kind] = mixture.bic(X) / len(X)
    outcome[f"{kind} shape"] = mixture.covariances_.shape
    outcome[f"{kind} labels"] = adjusted_rand_score(truth, mixture.predict(X))
mixture = GaussianMixture(4, n_init=3, random_state=0).fit(X)
outcome["weights of the mixture"] = sorted(np.round(mixture.weights_, 2).tolist())
outcome["shares"] = mixture.predict_proba(X).shape
outcome["likelihood"] = mixture.score(X)
outcome["drawn"] = mixture.sample(10)[0].shape
outcome["converged"] = bool(mixture.converged_)
search = GridSearchCV(
    GaussianMixture(random_state=0), {"n_components": [2, 4], "covariance_type": ["full", "diag"]}, cv=3
)
outcome["search"] = search.fit(X).best_params_["n_components"]
bayes = BayesianGaussianMixture(n_components=6, weight_concentration_prior=1e-2, max_iter=500, random_state=0).fit(X)
outcome["used"] = int((bayes.weights_ > 0.02).sum()) in (4, 5)
within = {"elbow": 0.1}
