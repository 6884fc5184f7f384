"""Trees from codes: each grown by one thread, for forests."""
