"""treadle_jax: existing JAX code and libraries, unmodified, on treadle.

    import treadle_jax
    treadle_jax.install()

    import jax  # treadle, under JAX's names

or `python -m treadle_jax script.py`, or `pytest -p treadle_jax`. The real jax is neither needed nor imported.
"""

from __future__ import annotations

from treadle_jax._version import __version__ as __version__
from treadle_jax.hook import install as install, installed as installed, uninstall as uninstall
from treadle_jax.plugin import pytest_load_initial_conftests as pytest_load_initial_conftests

__all__ = ["install", "installed", "uninstall"]
