"""NumPy kernels of elementwise arithmetic (being written)."""
