"""The version of treadle-ir, read by hatchling."""

__version__ = "0.1.0"
