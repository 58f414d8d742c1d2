"""`jax._src.numpy`."""
