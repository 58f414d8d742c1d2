"""Names of `jax._src.interpreters` that no public module has."""
