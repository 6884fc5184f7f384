"""Room 1: any table becomes a Dataset."""
