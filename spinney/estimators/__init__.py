"""Classes with scikit-learn's interface: they translate parameters, and the subpackages before this one do the work.

Every folder is a family. In each, `params.py` has what parameters may be and mean, `fit.py` what `fit` does with them,
`model.py` the methods of fitted models; the other files have the public classes.

    boosting/     gradient_boosting.py; fit.py, model.py, params.py
    trees/        decision_tree.py (CART), extra_tree.py, id3_c45.py, c50.py, optimal_tree.py; model.py;
                  reweighted.py: trees for AdaBoost
    forests/      random_forest.py, random_structure.py, isolation.py, embedding.py, merging.py; fit.py, model.py
    bagging/      bagging.py; fit.py, model.py
    clusters/     kmeans.py, minibatch_kmeans.py, bisecting_kmeans.py, mixture.py (plain and Bayesian);
                  number_of_clusters.py; mixture_model.py, params.py
    combine/      voting.py (of classes, numbers, rankings), stacking.py, bucket.py, model_averaging.py;
                  composition.py: members
    automatic/    auto.py; fit.py: families compared on folds

    adaboost.py   AdaBoost, of trees and of any other estimator
    imported.py   models of XGBoost, LightGBM and scikit-learn

    base.py       shared by all: a fit succeeds or changes nothing, columns, weights, number of threads
    params.py     parameters: kept, checked, documented from one table, and as engines take them
    docstrings.py what methods of several families say of their arguments and of what they return
    names.py      other libraries' names of parameters, and what they are called here: for errors
    routing.py    which arguments of a call go to which member
    streaming.py  how methods are called: with tables in memory, in files, in Dask collections or on a GPU
    intervals.py  predict_interval, predict_set and calibrate
"""
