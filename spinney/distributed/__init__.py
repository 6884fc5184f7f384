"""Fits on a Dask cluster: rows stay on the workers, and the model equals that of one machine, bit for bit.

In:  a dask DataFrame or Array, passed to an estimator's `fit` as X.
Out: the ordinary fitted model. Nothing here imports dask unless the user has: see `collections.py`.

    collections.py   recognises dask collections; vectors of one value per row; the client
    table.py         `DaskTable`: partitions, their sizes, the schema of all of them together
    tasks.py         tasks, data and results; steps are repeated when a worker is lost
    parts.py         functions that run on one partition, on the worker that has it
    dataset.py       `DaskDataset`: bins, partitions as codes, which worker has which
    group.py         members of a fit, one per worker: sums, maxima and gatherings of integers between them
    member.py        the rounds of boosting as one member runs them; `quantiles.py` finds quantiles of what nobody has
                     in one place
    driver.py        the client's side: starts members, receives results, restarts when a worker is lost
    forests.py       all rows' codes on every worker, each of which grows some of a forest's trees
    gathered.py      all rows fitted on one worker (clusters, mixtures), if they fit there
    lazy_predictions.py  those of collections, partition by partition
    fits.py          many fits on the client's data, spread over the workers
"""
