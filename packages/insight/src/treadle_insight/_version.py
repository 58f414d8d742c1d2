"""The version of treadle-insight, read by hatchling."""

__version__ = "0.1.0"
