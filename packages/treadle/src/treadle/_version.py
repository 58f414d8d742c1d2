"""The version of treadle, read by hatchling."""

__version__ = "0.1.0"
