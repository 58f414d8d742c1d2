"""Evaluation of operations of a library's own by their compiled code: `apply_primitive`."""

from __future__ import annotations

from typing import Any

from treadle.extension import Primitive
from treadle_ir.errors import boundaries
from treadle_runtime import jit

__all__ = ["apply_primitive"]


def apply_primitive(prim: Primitive, *args: Any, **params: Any) -> Any:  # Any: as the operation has
    """Return the results of an operation, compiled: an implementation for what has a lowering.

    Example:
        >>> from functools import partial
        >>> from treadle.extend.core import Primitive
        >>> from treadle.interpreters import mlir, xla
        >>> half_p = Primitive("half")
        >>> types = half_p.def_abstract_eval(lambda x: x)
        >>> mlir.register_lowering(half_p, mlir.lower_fun(lambda x: x / 2, multiple_results=False))
        >>> implementation = half_p.def_impl(partial(xla.apply_primitive, half_p))
        >>> print(half_p.bind(3.0))
        1.5
    """
    return jit(lambda *xs: prim.bind(*xs, **params))(*args)


boundaries(__name__)
