"""Functions with derivative rules of their own: custom_jvp, custom_vjp, custom_gradient, closure_convert.

The wrappers take pytrees and keyword arguments; inside they bind a `FunctionCall` on flat operands.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, final

from treadle_autodiff.flat import Tree, flatten_arrays, same_structure
from treadle_autodiff.tangents import zeros
from treadle_ir import (
    ArgumentError,
    Function,
    MissingRuleError,
    Operand,
    Operands,
    ShapeError,
    bind,
    ops,
    type_of,
)
from treadle_ir.primitives.call import CustomJvpCall, CustomVjpCall, CustomVjpRule
from treadle_ir.tree import tree_unflatten


def _positional(
    fun: Callable[..., Tree], args: tuple[Tree, ...], kwargs: dict[str, Tree]
) -> tuple[Tree, ...]:
    """The arguments in positional form, with defaults filled in, so that rules see one form."""
    if not kwargs:
        try:
            signature = inspect.signature(fun)
        except (ValueError, TypeError):
            return args
        plain = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        if len(args) >= sum(p.kind in plain for p in signature.parameters.values()):
            return args
    bound = inspect.signature(fun).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise ArgumentError(
            f"{fun.__name__}: keyword-only arguments {sorted(bound.kwargs)} have no place in a derivative rule",
            fix="make them positional, or close over them",
        )
    return bound.args


def _indices(
    nondiff: Sequence[int], names: Sequence[str], fun: Callable[..., Tree]
) -> frozenset[int]:
    parameters = list(inspect.signature(fun).parameters) if names else []
    return frozenset([*nondiff, *(parameters.index(name) for name in names)])


class _Flat:
    """A call's arguments split in static ones and flat differentiable operands."""

    def __init__(self, name: str, args: tuple[Tree, ...], static: frozenset[int]) -> None:
        dynamic = tuple(arg for i, arg in enumerate(args) if i not in static)
        self.static = [args[i] for i in sorted(static) if i < len(args)]
        self._args, self._static = args, static
        self.leaves, self.structure = flatten_arrays(dynamic, f"{name}: argument ")
        self.output: Any = None

    def arguments(self, operands: Sequence[Operand]) -> list[Tree]:
        """All arguments again, in order, with these operands."""
        dynamic = iter(tree_unflatten(self.structure, operands))
        return [arg if i in self._static else next(dynamic) for i, arg in enumerate(self._args)]

    def dynamic(self, operands: Sequence[Operand]) -> tuple[Tree, ...]:
        """The differentiable arguments as a tuple of trees."""
        result: tuple[Tree, ...] = tree_unflatten(self.structure, operands)
        return result

    def flat_output(self, output: Tree, name: str) -> list[Operand]:
        """The results' leaves; their structure is kept for the end."""
        leaves, structure = flatten_arrays(output, f"{name}: result ")
        self.output = structure
        return leaves


class _CustomFunction(ABC):
    """What custom_jvp and custom_vjp share: a function, and which of its arguments have no derivative."""

    def __init__(
        self,
        fun: Callable[..., Tree],
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        functools.update_wrapper(self, fun)
        self.fun = fun
        self._static = _indices(nondiff_argnums, nondiff_argnames, fun)

    @abstractmethod
    def __call__(self, *args: Tree, **kwargs: Tree) -> Tree:
        """Call the function."""

    def __get__(self, instance: object, owner: type) -> Any:
        """Work on methods."""
        return self if instance is None else functools.partial(self, instance)

    def _name(self) -> str:
        return getattr(self.fun, "__name__", "function")

    def _flattened(self, args: tuple[Tree, ...], kwargs: dict[str, Tree]) -> tuple[_Flat, Function]:
        """The arguments of a call, and the function of their flat operands."""
        name = self._name()
        flat = _Flat(name, _positional(self.fun, args, kwargs), self._static)

        def function(*operands: Operand) -> Operands:
            return flat.flat_output(self.fun(*flat.arguments(operands)), name)

        return flat, function


def _pair(rule: str, what: str, given: object) -> tuple[Tree, Tree]:
    """What a rule returned, if it is two things."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ArgumentError(
            f"{rule} must return a pair {what}, but it returned {type(given).__name__}"
        )
    return given[0], given[1]


@final
class custom_jvp(_CustomFunction):  # noqa: N801 - JAX's name, used as a decorator
    """A function with its own forward derivative rule.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import custom_jvp, grad
        >>> @custom_jvp
        ... def f(x):
        ...     return ops.sine(x)
        >>> @f.defjvp
        ... def f_jvp(primals, tangents):
        ...     (x,), (dx,) = primals, tangents
        ...     return f(x), ops.multiply(np.float32(10.0), dx)
        >>> grad(f)(np.float32(0.0))
        array(10., dtype=float32)
    """

    _jvp: Callable[..., tuple[Tree, Tree]] | None = None  # until it is set

    def defjvp(
        self, jvp: Callable[..., tuple[Tree, Tree]], symbolic_zeros: bool = False
    ) -> Callable[..., Any]:
        """Set the rule: `jvp(*nondiff, primals, tangents) -> (results, result_tangents)`.

        Raises:
            MissingRuleError: `symbolic_zeros` is asked for.
        """
        if symbolic_zeros:
            raise MissingRuleError(
                "custom_jvp: symbolic_zeros=True is not there yet",
                fix="leave it out: tangents that are zero come as arrays of zeros",
            )
        self._jvp = jvp
        return jvp

    def defjvps(self, *jvps: Callable[..., Tree] | None) -> None:
        """Set one rule per argument: `jvp_i(dx_i, result, *primals) -> tangent`, None for no dependence."""

        def jvp(primals: tuple[Tree, ...], tangents: tuple[Tree, ...]) -> tuple[Tree, Tree]:
            result = self(*primals)
            parts = [
                rule(tangent, result, *primals)
                for rule, tangent in zip(jvps, tangents, strict=True)
                if rule is not None
            ]
            if not parts:
                return result, zeros(type_of(result).tangent())
            return result, functools.reduce(ops.add, parts)

        self._jvp = jvp

    def __call__(self, *args: Tree, **kwargs: Tree) -> Tree:
        """Call the function."""
        name = self._name()
        rule = self._jvp
        if rule is None:
            raise ArgumentError(
                f"custom_jvp: no derivative rule was set for `{name}`",
                fix=f"decorate the rule with @{name}.defjvp before calling the function",
            )
        flat, function = self._flattened(args, kwargs)

        def jvp(primals: Operands, tangents: Operands) -> tuple[Operands, Operands]:
            given = rule(*flat.static, flat.dynamic(primals), flat.dynamic(tangents))
            output, derivative = _pair(f"the jvp rule of `{name}`", "(results, tangents)", given)
            results = flat.flat_output(output, name)
            out_tangents, structure = flatten_arrays(derivative, f"{name}: tangent ")
            same_structure(
                f"the tangents returned by the jvp rule of `{name}`",
                structure,
                "its results",
                flat.output,
            )
            for result, tangent in zip(results, out_tangents, strict=True):
                _check_rule_type(f"the jvp rule of `{name}`", "tangent", result, tangent)
            return results, [_exact(t, r) for t, r in zip(out_tangents, results, strict=True)]

        results = bind(CustomJvpCall(name, function, jvp), *flat.leaves)
        return tree_unflatten(flat.output, results)


def _check_rule_type(rule: str, what: str, primal: Operand, given: Operand) -> None:
    expected, got = type_of(primal).tangent(), type_of(given)
    if expected.shape != got.shape or (expected.dtype != got.dtype and not got.weak):
        raise ShapeError(
            f"{rule} returned a {what} of type {got} where {expected.strong()} belongs",
            fix="return tangents and cotangents of the primal's shape and element type",
        )


def _exact(tangent: Operand, primal: Operand) -> Operand:
    """A weak tangent in the primal's own element type."""
    expected = type_of(primal).tangent()
    return (
        tangent
        if type_of(tangent).dtype == expected.dtype
        else ops.convert(tangent, dtype=expected.dtype)
    )


@final
class custom_vjp(_CustomFunction):  # noqa: N801 - JAX's name, used as a decorator
    """A function with its own reverse derivative rule, a pair of functions.

    `fwd(*args) -> (results, residuals)`; `bwd(*nondiff, residuals, cotangents)` returns a tuple with one
    cotangent per differentiable argument (None for zero).
    """

    _rules: tuple[Callable[..., Tree], Callable[..., Tree]] | None = None  # until it is set

    def defvjp(
        self,
        fwd: Callable[..., tuple[Tree, Tree]],
        bwd: Callable[..., tuple[Tree, ...]],
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:
        """Set the two functions.

        Raises:
            MissingRuleError: `symbolic_zeros` or `optimize_remat` is asked for.
        """
        if symbolic_zeros or optimize_remat:
            raise MissingRuleError(
                "custom_vjp: symbolic_zeros and optimize_remat are not there yet",
                fix="leave them out: cotangents that are zero come as arrays of zeros",
            )
        self._rules = fwd, bwd

    def __call__(self, *args: Tree, **kwargs: Tree) -> Tree:
        """Call the function."""
        name = self._name()
        if self._rules is None:
            raise ArgumentError(
                f"custom_vjp: no derivative rules were set for `{name}`",
                fix=f"call {name}.defvjp(fwd, bwd) before calling the function",
            )
        fwd, bwd = self._rules
        flat, function = self._flattened(args, kwargs)
        residual_structure: list[Any] = []

        def forward(*operands: Operand) -> tuple[Operands, Operands]:
            given = fwd(*flat.arguments(operands))
            output, kept = _pair(f"the fwd rule of `{name}`", "(results, residuals)", given)
            results = flat.flat_output(output, name)
            residuals, structure = flatten_arrays(kept, f"{name}: residual ")
            residual_structure[:] = [structure]
            return results, residuals

        def backward(residuals: Operands, cotangents: Operands) -> Operands:
            outgoing = bwd(
                *flat.static,
                tree_unflatten(residual_structure[0], residuals),
                tree_unflatten(flat.output, cotangents),
            )
            return _cotangents(name, flat, outgoing)

        call = CustomVjpCall(name, function, CustomVjpRule(forward, backward))
        results = bind(call, *flat.leaves)  # sets the structure of the output
        return tree_unflatten(flat.output, results)


def _cotangents(name: str, flat: _Flat, outgoing: Tree) -> list[Operand]:
    """The bwd rule's cotangents, checked against the arguments; None stands for zeros."""
    dynamic = flat.dynamic(flat.leaves)
    if not isinstance(outgoing, (tuple, list)) or len(outgoing) != len(dynamic):
        count = len(outgoing) if isinstance(outgoing, (tuple, list)) else type(outgoing).__name__
        raise ArgumentError(
            f"the bwd rule of `{name}` must return a tuple with one cotangent for each of "
            f"{len(dynamic)} differentiable arguments, but it returned {count}",
            fix="return a tuple, also for one argument: `return (ct_x,)`",
        )
    leaves: list[Operand] = []
    for position, (argument, cotangent) in enumerate(zip(dynamic, outgoing, strict=True)):
        primals, structure = flatten_arrays(argument, f"{name}: argument {position}")
        if cotangent is None:
            leaves.extend(zeros(type_of(primal).tangent()) for primal in primals)
            continue
        given, given_structure = flatten_arrays(cotangent, f"{name}: cotangent {position}")
        same_structure(
            f"cotangent {position} returned by the bwd rule of `{name}`",
            given_structure,
            f"argument {position}",
            structure,
        )
        for primal, ct in zip(primals, given, strict=True):
            _check_rule_type(f"the bwd rule of `{name}`", "cotangent", primal, ct)
            leaves.append(_exact(ct, primal))
    return leaves


def custom_gradient(fun: Callable[..., tuple[Tree, Callable[..., Tree]]]) -> Callable[..., Tree]:
    """A function that returns `(value, gradient_function)`; the second is its backward rule."""

    @functools.wraps(fun)
    def value_only(*args: Tree) -> Tree:
        @custom_vjp
        def wrapped(*xs: Tree) -> Tree:
            return fun(*xs)[0]

        def fwd(*xs: Tree) -> tuple[Tree, tuple[Tree, ...]]:
            return fun(*xs)[0], xs

        def bwd(xs: tuple[Tree, ...], ct: Tree) -> tuple[Tree, ...]:
            outgoing = fun(*xs)[1](ct)
            return outgoing if isinstance(outgoing, tuple) else (outgoing,)

        wrapped.defvjp(fwd, bwd)
        return wrapped(*args)

    return value_only
