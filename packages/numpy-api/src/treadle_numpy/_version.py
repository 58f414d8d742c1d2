"""The version of treadle-numpy, read by hatchling."""

__version__ = "0.1.0"
