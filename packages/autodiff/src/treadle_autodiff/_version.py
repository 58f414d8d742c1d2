"""The version of treadle-autodiff, read by hatchling."""

__version__ = "0.1.0"
