"""Examples of host callbacks. On integers: Python functions have no derivative."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from treadle_ir.primitives.effectful import (
    DebugCallback,
    HostFunction,
    IoCallback,
    PureCallback,
    VmapMethod,
)
from treadle_ir.testing.examples import Example, array_type

_I32: Final = array_type("i32[3]")
_SCALAR: Final = array_type("i32[]")


def _double(x: Any) -> Any:  # Any: NumPy arrays, here and below
    return (2 * x,)


def _both(x: Any, y: Any) -> Any:
    return x + y, np.asarray(x * y, x.dtype)


def _ignore(*operands: Any) -> None:
    assert all(isinstance(operand, np.ndarray) for operand in operands)


def _pure(method: VmapMethod) -> list[Example]:
    double = PureCallback(HostFunction(_double, (_I32,)), method)
    both = PureCallback(HostFunction(_both, (_I32, _I32)), method)
    return [
        Example(double, (_I32,), parses=False, label=method),
        Example(both, (_I32, _I32), parses=False, label=method),
    ]


EXAMPLES: Final[list[Example]] = [
    *_pure("sequential"),
    *_pure("expand_dims"),
    *_pure("broadcast_all"),
    Example(
        PureCallback(HostFunction(_double, (_SCALAR,)), "sequential"), (_SCALAR,), parses=False
    ),
    Example(IoCallback(HostFunction(_both, (_I32, _I32))), (_I32, _I32), parses=False),
    Example(IoCallback(HostFunction(_double, (_SCALAR,))), (_SCALAR,), parses=False),
    Example(DebugCallback(HostFunction(_ignore, ())), (_I32, _SCALAR), parses=False),
]
