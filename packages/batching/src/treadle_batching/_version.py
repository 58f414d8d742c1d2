"""The version of treadle-batching, read by hatchling."""

__version__ = "0.1.0"
