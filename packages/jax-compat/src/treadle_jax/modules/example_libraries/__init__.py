"""`jax.example_libraries`: the part that libraries use."""
