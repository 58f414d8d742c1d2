"""Special functions by the C loops of `scipy.special`: a microsecond for a few elements, in one pass.

They support dtypes of at most 32 bits, computed in float64 and rounded once, as the reference formulas are. Functions
with poles, branches or limits support positive numbers only; for other elements they fall back to the reference
kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType, Elementwise, eval_rules, import_module, inferred, reference
from treadle_ir.primitives import elementwise as e
from treadle_runtime.arrays.array import Elements
from treadle_runtime.evaluation.host_kernels import HostKernel, host_kernel_of
from treadle_runtime.evaluation.limits import is_small

_WIDE: Final = np.dtype(np.float64)
_EVERYWHERE: Final[dict[type[Elementwise], str]] = {
    e.BesselI0e: "i0e",
    e.BesselI1e: "i1e",
    e.Dawson: "dawsn",
    e.Erfcx: "erfcx",
}
_OF_POSITIVE: Final[dict[type[Elementwise], str]] = {
    e.Digamma: "psi",
    e.ErfcInv: "erfcinv",
    e.Expi: "expi",
    e.Spence: "spence",
    e.Igamma: "gammainc",
    e.Igammac: "gammaincc",
    e.RegularizedIncompleteBeta: "betainc",
    e.Zeta: "zeta",
}
# Zeros that have the opposite sign in SciPy: i1e(-0.0) and erfcinv(1.0).
_SIGNS: Final[dict[str, Callable[[Elements, Elements], Elements]]] = {
    "i1e": np.copysign,
    "erfcinv": lambda found, _: found + 0.0,
}

_size: Final = attrgetter("size")


def _are_positive(operands: Sequence[Elements]) -> bool:
    """Return whether all elements are greater than zero; False for NaN."""
    return all([x.item(x.argmin()) > 0.0 for x in operands])


def _kernel(
    name: str, accepts: Callable[[Sequence[Elements]], bool] | None
) -> Callable[[Elementwise, Sequence[ArrayType]], HostKernel | None]:
    """Return a maker of kernels that call SciPy's function `name` if `accepts` returns True for the operands."""

    def maker(primitive: Elementwise, operands: Sequence[ArrayType]) -> HostKernel | None:
        dtype = operands[0].dtype
        if dtype.itemsize > 4 or not is_small(primitive, operands) or not all(map(_size, operands)):
            return None
        function = getattr(_scipy(), name, None)
        if function is None:
            return None
        rule = _reference_kernel(primitive, operands)
        finite, square, signed = math.isfinite, np.vdot, _SIGNS.get(name)

        def kernel(*operands: Elements) -> Elements:
            if accepts is None or accepts(operands):
                found: Elements = function(*[x.astype(_WIDE) for x in operands])
                if finite(square(found, found)):
                    return (signed(found, operands[0]) if signed else found).astype(dtype)
            return rule(*operands)

        return kernel

    return maker


def _reference_kernel(
    primitive: Elementwise, operands: Sequence[ArrayType]
) -> Callable[..., Elements]:
    """Return the kernel for operands of these types that SciPy does not support."""
    (result,), _ = inferred(primitive, tuple(operands))
    assert isinstance(result, ArrayType)
    bare = reference.bare_kernel(primitive, operands, result)
    if bare is not None:
        return bare
    rule = eval_rules[primitive]
    return lambda *operands: rule(primitive, *operands)[0]


# Any: SciPy ships no types for it.
def _scipy() -> Any:
    try:
        return import_module("scipy.special")
    except ImportError:
        return None


for _primitive, _name in _EVERYWHERE.items():
    host_kernel_of(_primitive)(_kernel(_name, None))
for _primitive, _name in _OF_POSITIVE.items():
    host_kernel_of(_primitive)(_kernel(_name, _are_positive))
