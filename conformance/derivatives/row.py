"""A row of the table: a function, the points where something happens to it, and its truth.

The truth is the same function on mpmath's numbers, written as a formula that is smooth at the points, whatever the
implementation branches on there: `log(exp(x) + exp(y))` of `logaddexp` at a tie. Derivatives of it are taken by
mpmath. Of functions that only compute with the elements of arrays, NumPy's own function on arrays of mpmath's numbers
is the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

import treadle
import treadle.image
import treadle.lax
import treadle.nn
import treadle.numpy
import treadle.ops
import treadle.scipy.cluster.vq
import treadle.scipy.integrate
import treadle.scipy.interpolate
import treadle.scipy.ndimage
import treadle.scipy.signal
import treadle.scipy.sparse.linalg
import treadle.scipy.special
from treadle_ir.process import frozen

Operand: TypeAlias = float | Sequence[Any]  # a number, or nested lists of numbers
Point: TypeAlias = tuple[Operand, ...]
Function: TypeAlias = Callable[..., Any]

PLAIN: Final = 1e-9  # relative; mpmath's own error is far below


@frozen(eq=False)
class Row:
    """One function at some points."""

    name: str  # in treadle: "numpy.logaddexp"
    points: tuple[Point, ...]
    truth: Function
    function: Function | None = (
        None  # how it is called, where that is not with the point's operands alone
    )
    keywords: Mapping[str, Any] | None = None
    kinks: tuple[
        Point, ...
    ] = ()  # not smooth: compared with JAX alone, whose convention holds there
    orders: int = 3  # of the derivatives that exist at the points
    modes: str = "FR"  # forward and reverse
    rtol: float = PLAIN
    atol: float = 0.0  # of what cancels in the function itself
    because: str = ""  # the tolerance is wider, or orders or modes are fewer

    def __post_init__(self) -> None:
        """Exceptions have reasons."""
        plain = (self.orders, self.modes, self.rtol, self.atol) == (3, "FR", PLAIN, 0.0)
        assert plain or self.because, f"{self.name}: why?"

    def run(self, *operands: Any) -> Any:
        """The function in treadle."""
        if self.function is not None:
            return self.function(*operands)
        return public(self.name)(*operands, **(self.keywords or {}))


def public(name: str) -> Function:
    """A function of treadle by its name."""
    found: Any = treadle
    for part in name.split("."):
        found = getattr(found, part)
    function: Function = found
    return function


def points(given: Sequence[Any]) -> tuple[Point, ...]:
    """Numbers as points of functions of one operand."""
    return tuple([x if isinstance(x, tuple) else (x,) for x in given])


def scalar(name: str, truth: Function, *at: Any, kinks: Sequence[Any] = (), **more: Any) -> Row:
    """A function of numbers."""
    return Row(name, points(at), truth, kinks=points(kinks), **more)


def array(name: str, *at: Any, truth: Function | None = None, **more: Any) -> Row:
    """A function of arrays; the truth is NumPy's function of that name unless there is another."""
    if truth is None:
        keywords = more.get("keywords", {})
        original = numpys(name.rpartition(".")[2])

        def truth(*operands: Any) -> Any:
            return original(*operands, **keywords)

    return Row(name, points(at), truth, **more)


def numpys(name: str) -> Function:
    """NumPy's function of a name."""
    function: Function = getattr(np, name)
    return function
