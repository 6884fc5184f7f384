"""Room 7: scikit-learn faces. Parameters and checks; no algorithm in here."""
