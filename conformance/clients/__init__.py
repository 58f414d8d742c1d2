"""Existing JAX libraries on treadle: one small real job for each, compared with the same job on JAX."""
