"""JAX's places for the rules of operations, by transformation."""
