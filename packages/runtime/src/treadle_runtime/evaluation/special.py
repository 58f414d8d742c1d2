"""Special functions by the C loops of `scipy.special`: a few microseconds for ten elements, in one pass.

They support dtypes of at most 32 bits, computed in float64 and rounded once, as the reference formulas are. Each
accepts the operands for which it agrees with the formula; for other operands, and where a result is not finite, the
reference kernel computes all elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir import ArrayType, Elementwise
from treadle_ir.errors import import_module
from treadle_ir.primitives import elementwise as e
from treadle_runtime.arrays.array import Elements
from treadle_runtime.evaluation.host import hypergeometric
from treadle_runtime.evaluation.host.by_rule import by_rule
from treadle_runtime.evaluation.host.incomplete_gamma import igamma_grad_a
from treadle_runtime.evaluation.host_kernels import HostKernel, host_kernel_of
from treadle_runtime.evaluation.limits import is_small

# Any: functions take as many arrays as their primitives have operands; SciPy ships no types for its module.
Function: TypeAlias = Callable[..., Any]
FunctionOf: TypeAlias = Callable[[Any], Function]
Accepts: TypeAlias = Callable[..., bool]

_WIDE: Final = np.dtype(np.float64)
_MOST_ONE_BY_ONE: Final = 64  # elements
_size: Final = attrgetter("size")


def _within(x: Elements, least: float, greatest: float) -> bool:
    """Return whether all elements are between two numbers, inclusively; False for NaN."""
    return bool(x.item(x.argmin()) >= least and x.item(x.argmax()) <= greatest)


def _are_positive(*operands: Elements) -> bool:
    """Return whether all elements are greater than zero; False for NaN."""
    return all([x.item(x.argmin()) > 0.0 for x in operands])


def _is_order(n: Elements, most: float) -> bool:
    """Return whether all elements are integers from 0 to `most`."""
    return _within(n, 0.0, most) and bool((n == np.floor(n)).all())


def _accepts_hyp1f1(a: Elements, b: Elements, x: Elements) -> bool:
    """Return whether the series has no negative terms, possibly after Kummer's transformation for x < 0."""
    inside = _are_positive(a, b) and _within(a, 0.0, 100.0) and _within(b, 1e-3, 100.0)
    return inside and _within(x, -30.0, 60.0) and bool(((x >= 0.0) | (b >= a)).all())


def _accepts_hyp2f1(a: Elements, b: Elements, c: Elements, x: Elements) -> bool:
    """Return whether the series has no negative terms, possibly after Pfaff's transformation for x < 0."""
    inside = _are_positive(a, b) and _within(a, 0.0, 100.0) and _within(b, 0.0, 100.0)
    inside = inside and _within(c, 1e-3, 100.0) and _within(x, -30.0, 0.97)
    return inside and bool(((x >= 0.0) | (c >= b)).all())


def _hyp2f1(special: Any) -> Function:
    """Return SciPy's function, but the sum of the series for parameters with which SciPy may lose all digits."""
    scipy = special.hyp2f1

    def hyp2f1(a: Elements, b: Elements, c: Elements, x: Elements) -> Any:
        exact = all([each.item(each.argmax()) <= 10.0 for each in (a, b, c)])
        return (scipy if exact else hypergeometric.hyp2f1)(a, b, c, x)

    return hyp2f1


def _polygamma(special: Any) -> Function:
    """DLMF 5.15.2; SciPy's own function is this one, with checks in Python."""
    psi, gamma, zeta = special.psi, special.gamma, special.zeta

    def polygamma(n: Elements, x: Elements) -> Any:
        size: Elements = gamma(n + 1.0) * zeta(n + 1.0, x)
        return np.where(n == 0.0, psi(x), np.where(n % 2.0 == 0.0, -size, size))

    return polygamma


# SciPy's functions of float64, and which operands they support: None for all of them. `i1e`, `erfcinv` and `sici` give
# zeros of the other sign for -0.0, 1.0 and -0.0.
_FUNCTIONS: Final[dict[type[Elementwise], tuple[FunctionOf, Accepts | None]]] = {
    e.BesselI0e: (lambda special: special.i0e, None),
    e.BesselI1e: (lambda special: lambda x: np.copysign(special.i1e(x), x), None),
    e.CosineIntegral: (lambda special: lambda x: special.sici(x)[1], _are_positive),
    e.Dawson: (lambda special: special.dawsn, None),
    e.Digamma: (lambda special: special.psi, None),
    e.ErfcInv: (lambda special: lambda x: special.erfcinv(x) + 0.0, _are_positive),
    e.Erfcx: (lambda special: special.erfcx, None),
    e.Expi: (lambda special: special.expi, None),
    e.Expn: (lambda special: special.expn, lambda n, x: _is_order(n, 200.0) and _are_positive(x)),
    e.Hyp1f1: (lambda special: special.hyp1f1, _accepts_hyp1f1),
    e.Hyp2f1: (_hyp2f1, _accepts_hyp2f1),
    e.Igamma: (lambda special: special.gammainc, _are_positive),
    e.Igammac: (lambda special: special.gammaincc, _are_positive),
    e.Polygamma: (_polygamma, lambda n, x: _is_order(n, 40.0) and _are_positive(x)),
    e.RegularizedIncompleteBeta: (lambda special: special.betainc, _are_positive),
    e.SineIntegral: (lambda special: lambda x: np.copysign(special.sici(x)[0], x), None),
    e.Spence: (lambda special: special.spence, _are_positive),
    e.Zeta: (lambda special: special.zeta, _are_positive),
}


def _is_narrow(primitive: Elementwise, operands: Sequence[ArrayType]) -> bool:
    """Return whether the operands are small arrays, with elements, of a dtype of at most 32 bits."""
    small = operands[0].dtype.itemsize <= 4 and is_small(primitive, operands)
    return small and all(map(_size, operands))


def _kernel(
    function_of: FunctionOf, accepts: Accepts | None
) -> Callable[[Elementwise, Sequence[ArrayType]], HostKernel | None]:
    """Return a maker of kernels that call a function of SciPy's if `accepts` returns True for the operands."""

    def maker(primitive: Elementwise, operands: Sequence[ArrayType]) -> HostKernel | None:
        if not _is_narrow(primitive, operands):
            return None
        dtype, function = operands[0].dtype, function_of(import_module("scipy.special"))
        rule, finite, square = by_rule(primitive), math.isfinite, np.vdot

        def kernel(*operands: Elements) -> Any:
            if accepts is None or accepts(*operands):
                found = function(*[x.astype(_WIDE) for x in operands])
                if finite(square(found, found)):
                    return found.astype(dtype)
            return rule(*operands)

        return kernel

    return maker


for _primitive, _function in _FUNCTIONS.items():
    host_kernel_of(_primitive)(_kernel(*_function))


@host_kernel_of(e.IgammaGradA)
def _igamma_grad_a(primitive: e.IgammaGradA, operands: Sequence[ArrayType]) -> HostKernel | None:
    """Compute the elements one by one, since SciPy lacks the function."""
    shape, dtype = np.broadcast_shapes(*[x.shape for x in operands]), operands[0].dtype
    if not _is_narrow(primitive, operands) or math.prod(shape) > _MOST_ONE_BY_ONE:
        return None
    rule, psi = by_rule(primitive), import_module("scipy.special").psi

    def digamma(x: float) -> float:
        return float(psi(x))

    def kernel(*operands: Elements) -> Any:
        a, x = [each.astype(_WIDE).ravel() for each in np.broadcast_arrays(*operands)]
        found = [igamma_grad_a(*pair, digamma) for pair in zip(a.tolist(), x.tolist(), strict=True)]
        if None in found:
            return rule(*operands)
        return np.array(found, _WIDE).astype(dtype).reshape(shape)

    return kernel
