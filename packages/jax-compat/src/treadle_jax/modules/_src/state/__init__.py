"""`jax._src.state`: for flax."""
