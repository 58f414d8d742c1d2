"""What the methods of `x.at[...]` share: names, documentation, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import UnsupportedError
from treadle_numpy.arrays.at import UpdatesAt, at

METHODS = ["set", "add", "subtract", "multiply", "divide", "power", "min", "max"]


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_named_and_documented(name: str) -> None:
    method = getattr(UpdatesAt, name)
    assert method.__qualname__ == f"UpdatesAt.{name}"
    assert method.__doc__.startswith("The array ")


@pytest.mark.parametrize("name", METHODS)
def test_negative_positions_always_wrap(name: str) -> None:
    here = at(tnp.ones(3))[np.array([-1])]
    with pytest.raises(UnsupportedError, match="wrap_negative_indices=False is not supported"):
        getattr(here, name)(2.0, wrap_negative_indices=False)
