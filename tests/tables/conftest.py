"""Nothing here is tested with a polars that is older than what the command line needs."""

import polars

if tuple(map(int, polars.__version__.split(".")[:2])) < (2, 1):
    collect_ignore_glob = ["test_*.py"]  # .ci/versions has older ones, for the tables of the library
