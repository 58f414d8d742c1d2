"""The version of treadle-jax, read by hatchling."""

__version__ = "0.1.0"
