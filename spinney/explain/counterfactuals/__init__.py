"""The smallest change of a row that changes the prediction."""
