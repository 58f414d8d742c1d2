"""Names of `jax.interpreters` that are JAX's own affair, for libraries that reach for them."""
