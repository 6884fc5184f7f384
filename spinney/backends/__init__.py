"""Growing a tree on machines that are not this CPU: the protocol, the batched loop, and the slow twin in NumPy."""
