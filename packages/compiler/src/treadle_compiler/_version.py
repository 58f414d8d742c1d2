"""The version of treadle-compiler, read by hatchling."""

__version__ = "0.1.0"
