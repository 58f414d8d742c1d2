"""Modules of `jax.experimental` that libraries import."""
