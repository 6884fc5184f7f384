"""Fits on a Dask cluster: the rows are with the workers, the model is that of one machine, bit for bit.

In:  a dask DataFrame or Array, wherever an estimator of this package takes a table for `fit`.
Out: the ordinary fitted model. Nothing here imports dask unless somebody else has: see `collections.py`.

    collections.py   what is a dask collection; vectors of one number per row, gathered; the client
    table.py         `RemoteTable`: partitions, their sizes, the schema of all of them together
    tasks.py         talking to the cluster: tasks, data, results; steps are repeated when a worker is lost
    parts.py         what is done to one partition, on the worker that has it
    dataset.py       `RemoteDataset`: bins learnt, partitions as codes, which worker has which
    group.py         members of a fit, one per worker: sums, maxima and gatherings of integers between them
    members.py       the client's side: starts members, takes what they find, starts again when a worker is lost
    member.py        the rounds of boosting as one member runs them; `quantiles.py` finds quantiles of what nobody has
                     in one place; `driver.py` is the client's side
    matrix.py        numbers that stay with the workers, cut into blocks where one machine would cut them
    spread.py        which blocks are whose: what members know, in the order of the table
    kmeans.py        k-means, the client's side; `kmeans_member.py` is what a member does
    mixture.py       Gaussian mixtures, the client's side; `mixture_member.py` is what a member does
    forests.py       all rows' codes on every worker, each of which grows some of a forest's trees
    gathered.py      rows brought to one worker, which fits them all; `room.py` says whether they fit there
    answers.py       predictions of collections, not computed until somebody asks
    fits.py          many fits to a table of the client's, spread over the workers
"""
