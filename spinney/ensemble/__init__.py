"""Many models fitted as one: boosting, forests, bagging, and combinations of models of any kind.

boosting/       gradient boosting
  fit.py              one fit, from a table to a `Booster`: what it decides, in order
  round_search.py     n_estimators="auto": rounds, learning rate and sizes that follow from the table
  neighbouring_rows.py  do rows close together resemble each other? a warning, if rows held out at random mislead
  row_sampling.py     the rows of a fit, and those that each round draws
  start.py            the units of a fit, raw scores before the first tree, how large trees may get
  rounds.py           the loop: derivatives, one tree per output, scores; what a tree is grown in: codes or sorted lists
                      on this machine (gpu/rounds.py: on a GPU)
  gradients.py        the loops around the losses: raw scores to gradients and hessians, leaves to scores
  leaf_refit.py       a tree between growing and freezing: pruned by cost, the values of its leaves renewed
  scoring.py          after every round: scores of the evaluation sets, and the training loss
  booster.py          `Task`, `BoostingSettings`, and the `Booster` that predicts
forests/        random forests and their relatives
  fit.py              many random trees on one table, one thread per tree
  bootstrap.py        rows sampled with replacement, without, or in disjoint parts
  out_of_bag.py       predictions for rows that a tree has not seen; permutation importances
  quantiles.py        quantiles of the training targets that share a leaf with a row
  isolation.py        isolation trees: depths in place of answers
  random_structure.py trees whose splits are all random

adaboost.py        models in turn, with larger weights for rows that those before them got wrong
bagging.py         clones of one estimator, on different rows or columns
cross_fitting.py   named models of any kind, fitted; their predictions for held-out rows, as columns for stacking
voting.py          the predictions of several models -> one prediction
selection.py       scores of several models on held-out rows -> the best one, or weights
conformal.py       intervals and sets of classes with a guarantee
metrics.py         metrics by name, for evaluation sets and early stopping
callbacks.py       between rounds: early stopping, the progress bar, the user's callbacks
"""
