"""Products of vectors, matrices and tensors."""
