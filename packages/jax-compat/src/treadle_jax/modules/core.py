"""Names of `jax.core` that are JAX's own affair: tensorflow-probability (distrax) writes to one of its tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle import typeof

pytype_aval_mappings: dict[type, Any] = {np.ndarray: typeof}
"""Written to by the library; treadle asks a value for its elements instead."""
