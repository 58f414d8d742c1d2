"""JAX's place for the classes of tracers."""
