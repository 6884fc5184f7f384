"""Models that leave the house: for other libraries, and one day for files."""
