"""Element types by their names, and what NumPy's functions say of them."""
