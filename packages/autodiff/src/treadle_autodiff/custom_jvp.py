"""custom_jvp: a function with its own forward derivative rule."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, final

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
from treadle_autodiff.user_function import Tree
from treadle_ir import (
    ArgumentError,
    MissingRuleError,
    Operand,
    Operands,
    bind,
    flatten_arrays,
    frozen,
    ops,
    type_of,
)
from treadle_ir.primitives.call import CustomJvpCall

F = TypeVar("F", bound=Callable[..., Any])  # Any: rules are returned unchanged


@final
class custom_jvp(CustomFunction[P, R]):  # noqa: N801 - JAX's name, used as a decorator
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

    def defjvp(self, jvp: F, symbolic_zeros: bool = False) -> F:
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
            result: Any = self(*primals)  # type: ignore[call-arg]  # as many as the function has
            parts = [
                rule(tangent, result, *primals)
                for rule, tangent in zip(jvps, tangents, strict=True)
                if rule is not None
            ]
            if not parts:
                return result, zeros(type_of(result).tangent())
            return result, functools.reduce(ops.add, parts)

        self._jvp = jvp

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        rule = self._jvp
        if rule is None:
            raise ArgumentError(
                f"custom_jvp: no derivative rule was set for `{self.name}`",
                fix=f"decorate the rule with @{self.name}.defjvp before calling the function",
            )
        site, leaves = self.taken_apart(args, kwargs)
        results = Results()

        def function(*operands: Operand) -> Operands:
            return results.flat(self.fun(*site.arguments(operands)), site.name)

        call = CustomJvpCall(site.name, function, _Jvp(rule, site, results), self.pure)
        outputs = bind(call, *leaves)
        tree: R = results.tree(outputs)
        return tree


@final
@frozen
class _Jvp:
    """The user's rule at a call, on flat operands."""

    rule: Callable[..., tuple[Tree, Tree]]
    site: CallSite
    results: Results

    def __call__(self, primals: Operands, tangents: Operands) -> tuple[Operands, Operands]:
        """Results and their tangents."""
        site = self.site
        rule = f"the jvp rule of `{site.name}`"
        given = self.rule(*site.given(), site.dynamic(primals), site.dynamic(tangents))
        output, derivative = pair_of(rule, "(results, tangents)", given)
        results = self.results.flat(output, site.name)
        out_tangents, structure = flatten_arrays(derivative, f"{site.name}: tangent ")
        assert self.results.structure is not None
        same_structure(
            f"the tangents returned by {rule}", structure, "its results", self.results.structure
        )
        return results, [
            exact(rule, "tangent", type_of(result), tangent)
            for result, tangent in zip(results, out_tangents, strict=True)
        ]
