"""Running functions both ways: on NumPy under the reference evaluator, and staged and interpreted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, interpret, stage
from treadle_ir.settings import X64


def staged(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function of arrays when it is staged and then interpreted."""
    arrays = [np.asarray(x) for x in arguments]
    found = stage(lambda *xs: [function(*xs)], *[ArrayType(x.shape, x.dtype) for x in arrays])
    return np.asarray(interpret(found.program, *found.captured, *arrays)[0])


@pytest.fixture(name="staged")
def staged_fixture() -> Callable[..., Any]:
    """`staged(function, *arguments)`."""
    return staged


@pytest.fixture
def wide() -> Iterator[None]:
    """64-bit types."""
    with X64.override(True):
        yield
