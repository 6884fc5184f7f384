"""Reading input of any kind into a Dataset."""
