"""The version of treadle-runtime, read by hatchling."""

__version__ = "0.1.0"
