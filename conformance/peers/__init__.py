"""The FAQ's rows on peers, JAX as released and treadle behind `import jax`: `nox -s conformance-peer` runs them."""
