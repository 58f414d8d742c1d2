"""What the jobs share: `show` prints one line of JSON for each result."""

from __future__ import annotations

import json
from typing import Any

import jax  # treadle, or JAX: whichever the process was started with
import numpy as np


def _numbers(x: np.ndarray[Any, Any]) -> Any:
    if x.dtype.kind == "b":
        x = x.astype(int)
    elif x.dtype.kind == "V":  # float types of ml_dtypes
        x = x.astype(np.float64)
    return [x.real.tolist(), x.imag.tolist()] if x.dtype.kind == "c" else x.tolist()


def show(name: str, tree: Any) -> None:
    """Print a result: the leaves of a tree as numbers."""
    values = [_numbers(np.asarray(x)) for x in jax.tree_util.tree_leaves(tree)]
    print(json.dumps({"name": name, "values": values}), flush=True)
