"""Special functions on NumPy: the engine of the formulas, and the functions that it needs beyond NumPy's own."""
