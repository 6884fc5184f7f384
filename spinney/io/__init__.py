"""Models that leave the house, for other libraries and files, and models of theirs that come in."""
