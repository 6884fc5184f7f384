"""Room 2: what a good split and a good leaf are. Scalars in, scalars out, one home per formula."""
