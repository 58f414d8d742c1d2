"""custom_vjp: a function with its own reverse derivative rule; and custom_gradient, another spelling of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import final

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.custom_function import (
    CallSite,
    CustomFunction,
    P,
    R,
    Results,
    exact,
    pair_of,
)
from treadle_autodiff.tangents import zeros
from treadle_autodiff.user_function import Tree, check_callable
from treadle_ir import (
    ArgumentError,
    ArrayType,
    MissingRuleError,
    Operand,
    Operands,
    bind,
    flatten_arrays,
    frozen,
    type_of,
)
from treadle_ir.primitives.call import CustomVjpCall, CustomVjpRule, FlatBackward
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, tree_unflatten


@final
class custom_vjp(CustomFunction[P, R]):  # noqa: N801 - JAX's name, used as a decorator
    """A function with its own reverse derivative rule, a pair of functions.

    `fwd(*args) -> (results, residuals)`; `bwd(*nondiff, residuals, cotangents)` returns a tuple with one
    cotangent per differentiable argument (None for zero).

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import custom_vjp, grad
        >>> @custom_vjp
        ... def f(x):
        ...     return ops.sine(x)
        >>> f.defvjp(lambda x: (f(x), x), lambda x, ct: (ops.multiply(ct, np.float32(10.0)),))
        >>> grad(f)(np.float32(0.0))
        array(10., dtype=float32)
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

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        if self._rules is None:
            raise ArgumentError(
                f"custom_vjp: no derivative rules were set for `{self.name}`",
                fix=f"call {self.name}.defvjp(fwd, bwd) before calling the function",
            )
        fwd, bwd = self._rules
        site, leaves = self.taken_apart(args, kwargs)
        results = Results()

        def function(*operands: Operand) -> Operands:
            return results.flat(self.fun(*site.arguments(operands)), site.name)

        rule = CustomVjpRule(_Forward(fwd, bwd, site, results), pure=self.pure)
        outputs = bind(CustomVjpCall(site.name, function, rule), *leaves)
        tree: R = results.tree(outputs)
        return tree


@final
@frozen
class _Forward:
    """The user's fwd function at a call, on flat operands."""

    fwd: Callable[..., tuple[Tree, Tree]]
    bwd: Callable[..., tuple[Tree, ...]]
    site: CallSite
    results: Results

    def __call__(self, *operands: Operand) -> tuple[Operands, Operands, FlatBackward]:
        """Results, residuals, and the backward function for these."""
        site = self.site
        given = self.fwd(*site.arguments(operands))
        output, kept = pair_of(f"the fwd rule of `{site.name}`", "(results, residuals)", given)
        results = self.results.flat(output, site.name)
        residuals, structure = flatten_arrays(kept, f"{site.name}: residual ")
        assert self.results.structure is not None
        types = tuple([type_of(operand) for operand in operands])
        return (
            results,
            residuals,
            _Backward(self.bwd, site, structure, self.results.structure, types),
        )


@final
@frozen
class _Backward:
    """The user's bwd function at a call, on flat residuals and cotangents."""

    bwd: Callable[..., tuple[Tree, ...]]
    site: CallSite
    residuals: PyTreeDef
    results: PyTreeDef
    types: tuple[ArrayType, ...]  # of the operands

    def __call__(self, residuals: Operands, cotangents: Operands) -> Operands:
        """Cotangents of the operands, checked; None stands for zeros."""
        outgoing: object = self.bwd(
            *self.site.given(),
            tree_unflatten(self.residuals, residuals),
            tree_unflatten(self.results, cotangents),
        )
        name = self.site.name
        arguments = self.site.dynamic(self.types)  # trees of types
        if not isinstance(outgoing, (tuple, list)) or len(outgoing) != len(arguments):
            count = (
                len(outgoing) if isinstance(outgoing, (tuple, list)) else type(outgoing).__name__
            )
            raise ArgumentError(
                f"the bwd rule of `{name}` must return a tuple with one cotangent for each of "
                f"{len(arguments)} differentiable arguments, but it returned {count}",
                fix="return a tuple, also for one argument: `return (ct_x,)`",
            )
        leaves: list[Operand] = []
        for position, (argument, cotangent) in enumerate(zip(arguments, outgoing, strict=True)):
            types, structure = flatten_leaves_and_structure(argument)
            if cotangent is None:
                leaves += [zeros(type.tangent()) for type in types]
                continue
            given, given_structure = flatten_arrays(cotangent, f"{name}: cotangent {position}")
            same_structure(
                f"cotangent {position} returned by the bwd rule of `{name}`",
                given_structure,
                f"argument {position}",
                structure,
            )
            leaves += [
                exact(f"the bwd rule of `{name}`", "cotangent", type, ct)
                for type, ct in zip(types, given, strict=True)
            ]
        return leaves


def custom_gradient(
    fun: Callable[P, tuple[R, Callable[..., Tree]]],
) -> Callable[P, R]:
    """A function that returns `(value, gradient_function)`; the second is its backward rule.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import custom_gradient, grad
        >>> @custom_gradient
        ... def f(x):
        ...     return ops.sine(x), lambda ct: ops.multiply(ct, np.float32(10.0))
        >>> grad(f)(np.float32(0.0))
        array(10., dtype=float32)
    """
    check_callable(fun, "custom_gradient")

    @custom_vjp
    def wrapped(*xs: Tree) -> Tree:
        return fun(*xs)[0]  # type: ignore[call-arg]  # as many as the function has

    def fwd(*xs: Tree) -> tuple[Tree, tuple[Tree, ...]]:
        return fun(*xs)[0], xs  # type: ignore[call-arg]

    def bwd(xs: tuple[Tree, ...], ct: Tree) -> tuple[Tree, ...]:
        outgoing = fun(*xs)[1](ct)  # type: ignore[call-arg]
        return outgoing if isinstance(outgoing, tuple) else (outgoing,)

    wrapped.defvjp(fwd, bwd)

    @functools.wraps(fun)
    def value_only(*args: P.args, **kwargs: P.kwargs) -> R:
        value: R = wrapped(*args, **kwargs)
        return value

    return value_only
