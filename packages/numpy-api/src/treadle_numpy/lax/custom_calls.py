"""Functions with derivative rules of their own, as JAX's interpreters take and bind them.

To these, such a call is a primitive, flat operands and flat functions: the function itself, and its rules. The rule of
a `custom_jvp` takes primals and tangents, and returns results and their tangents. The `fwd` of a `custom_vjp` takes
after each primal whether it has a tangent, and returns residuals and results, which `out_trees` tells apart; `bwd`
takes residuals and cotangents. What is known to be zero is an array of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeAlias

from treadle_autodiff import Zero, materialise
from treadle_ir import Operand, Operands, bind, type_of
from treadle_ir.core import dtypes
from treadle_ir.primitives.call import CustomJvpCall, CustomVjpCall, CustomVjpRule, Given
from treadle_ir.tree import PyTreeDef, tree_structure

Wrapped: TypeAlias = Any  # Any: has the function as its `call_wrapped`
Flat: TypeAlias = Callable[..., list[Any]]  # Any: operands, and what a library has in their places
OutTrees: TypeAlias = Callable[[], tuple[PyTreeDef, PyTreeDef, Sequence[int | None]]]


def opened_jvp(call: CustomJvpCall) -> tuple[Flat, Flat]:
    """Return the function and its rule."""

    def jvp(*operands: Operand) -> list[Any]:
        count = len(operands) // 2
        results, tangents = call.jvp(operands[:count], operands[count:])
        return [*results, *_instantiated(tangents, results)]

    return lambda *operands: [*call.function(*operands)], jvp


def custom_jvp_call(
    *operands: Operand, subfuns: tuple[Wrapped, Wrapped], symbolic_zeros: bool = False
) -> list[Any]:
    """Call a function with a rule, both as an interpreter wrapped them."""
    function, rule = subfuns

    def jvp(primals: Operands, tangents: Given) -> tuple[Operands, Given]:
        found = rule.call_wrapped(*primals, *_instantiated(tangents, primals))
        count = len(found) // 2
        return found[:count], _told(found[count:])

    label = getattr(function, "__name__", "function")
    return [*bind(CustomJvpCall(label, function.call_wrapped, jvp), *operands)]


def opened_vjp(call: CustomVjpCall) -> tuple[Flat, Flat, Flat, OutTrees]:
    """Return the function, `fwd`, `bwd`, and `out_trees`; the last two work when `fwd` has run."""
    last: dict[str, Any] = {}

    def fwd(*operands: Any) -> list[Any]:
        primals = operands[::2]
        results, residuals, last["backward"] = call.rule.forward(primals, operands[1::2])
        last["primals"] = [type_of(primal) for primal in primals]
        last["counts"] = len(results), len(residuals)
        return [*residuals, *results]

    def bwd(*operands: Operand) -> list[Any]:
        count = last["counts"][1]
        cotangents = last["backward"](operands[:count], operands[count:])
        return [
            materialise(Zero(type.tangent())) if cotangent is None else cotangent
            for cotangent, type in zip(cotangents, last["primals"], strict=True)
        ]

    def out_trees() -> tuple[PyTreeDef, PyTreeDef, Sequence[int | None]]:
        results, residuals = [tree_structure((0,) * count) for count in last["counts"]]
        return results, residuals, [None] * residuals.num_leaves

    return lambda *operands: [*call.function(*operands)], fwd, bwd, out_trees


def custom_vjp_call(
    *operands: Operand,
    subfuns: tuple[Wrapped, Wrapped, Wrapped],
    out_trees: OutTrees,
    symbolic_zeros: bool = False,
) -> list[Any]:
    """Call a function with a pair of rules, all as an interpreter wrapped them."""
    function, fwd, bwd = subfuns

    def forward(
        primals: Operands, perturbed: Sequence[bool]
    ) -> tuple[Operands, Operands, Callable[[Operands, Given], Given]]:
        found = fwd.call_wrapped(*chain.from_iterable(zip(primals, perturbed, strict=True)))
        forwarded = out_trees()[2]  # which residuals are operands, and are not returned
        returned = iter(found)
        residuals = [next(returned) if i is None else primals[i] for i in forwarded]
        results = [*returned]

        def backward(residuals: Operands, cotangents: Given) -> Given:
            return _told(bwd.call_wrapped(*residuals, *_instantiated(cotangents, results)))

        return results, residuals, backward

    label = getattr(function, "__name__", "function")
    call = CustomVjpCall(label, function.call_wrapped, CustomVjpRule(forward))
    return [*bind(call, *operands)]


def _instantiated(tangents: Given, of: Operands) -> list[Operand]:
    """Return tangents or cotangents, with arrays for known zeros."""
    return [
        materialise(Zero(type_of(x).tangent())) if tangent is None else tangent
        for tangent, x in zip(tangents, of, strict=True)
    ]


def _told(tangents: Sequence[Any]) -> Given:
    """Return tangents or cotangents as rules return them: None for known zeros."""
    return [
        None if tangent is None or dtypes.is_float0(type_of(tangent).dtype) else tangent
        for tangent in tangents
    ]
