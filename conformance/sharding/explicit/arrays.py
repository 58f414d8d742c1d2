"""The arrays that the programs of the pool take, in either system."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from conformance.sharding.explicit.operations import PROGRAMS as OPERATIONS
from conformance.sharding.explicit.programs import PROGRAMS as MORE

POOL = {**OPERATIONS, **MORE}
SHAPE, NAMES = (4, 2), ("x", "y")


def arrays(s: Any) -> SimpleNamespace:
    """The arrays, over the mesh in force. Any: a system."""

    def numbers(*shape: int) -> Any:
        size = int(np.prod(shape))
        return np.sin(1.0 + np.arange(size, dtype=np.float32)).astype(np.float32).reshape(shape)

    x = s.top.reshard(numbers(8, 4), s.P("x"))
    return SimpleNamespace(
        x=x,
        y=s.top.reshard(x, s.P(None, "x")),
        w=s.top.reshard(numbers(4, 8), s.P(None, "y")),
        v=s.top.reshard(numbers(8), s.P("x")),
        n=numbers(8, 4),
        r=lambda spec: s.top.reshard(numbers(16, 4), spec),
    )


def shown(type: object) -> str:
    """A type as both systems show it, without the mark of weak ones: `float32[8@x,4]`."""
    text = str(type).removeprefix("ShapedArray(").removesuffix(")")
    return text.removeprefix("~")
