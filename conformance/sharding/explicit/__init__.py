"""Shardings of results over explicit axes: the pool, JAX's answers, and the laws."""
