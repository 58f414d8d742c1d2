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
    exact_or_none,
    pair_of,
)
from treadle_autodiff.symbolic_zeros import SymbolicZero, flatten_tangents, shown_zeros
from treadle_autodiff.user_function import Tree
from treadle_ir import ArgumentError, Operand, Operands, bind, ops, type_of
from treadle_ir.calling import as_array, ruled
from treadle_ir.errors import UnsetRuleError, flags, functions
from treadle_ir.primitives.call import CustomJvpCall, Given
from treadle_ir.process import frozen
from treadle_ir.refs import as_reader
from treadle_ir.tree import forms, tangent_leaves, tree_map

F = TypeVar("F", bound=Callable[..., Any])  # Any: rules are returned unchanged


@final
class custom_jvp(CustomFunction[P, R]):  # noqa: N801 - the public name, used as a decorator
    """A function with its own forward derivative rule.

    Decorate a function with it, then set the rule with `defjvp` or `defjvps`. The function evaluates as before;
    derivatives, forward and reverse, use the rule.

    Args:
        fun: the function; its arguments and results are pytrees of arrays.
        nondiff_argnums: positions of arguments that are not differentiated, such as functions. The rule receives them
            first.
        nondiff_argnames: the same for arguments by name.
        pure: a promise that the function and its rules read nothing that may change.

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

        Tangents that are known to be zero are passed as arrays of zeros; with `symbolic_zeros` they are
        `SymbolicZero`s. The rule may return a `SymbolicZero` instead of any tangent.

        Args:
            jvp: a function of the `nondiff` arguments, a tuple of primals and a tuple of tangents. It returns the
                results and their tangents, in the structure, shapes and dtypes of the results.
            symbolic_zeros: whether zero tangents are `SymbolicZero`s.

        Returns:
            `jvp`, so that `defjvp` works as a decorator.

        Raises:
            ArgumentError: the rule is not a function, or `symbolic_zeros` not a boolean.
        """
        functions("custom_jvp.defjvp", jvp=jvp)
        flags("custom_jvp.defjvp", symbolic_zeros=symbolic_zeros)
        self._jvp, self._symbolic = jvp, symbolic_zeros
        return jvp

    @property
    def jvp(self) -> Callable[..., tuple[Tree, Tree]] | None:
        """The rule, None until it is set."""
        return self._jvp

    def defjvps(self, *jvps: Callable[..., Tree] | None) -> None:
        """Set one rule per argument: `jvp_i(dx_i, result, *primals) -> tangent`, None for no dependence.

        Args:
            jvps: for each argument a function of its tangent, the result and the primals that returns a tangent of
                the result, or None. The tangents are added up.

        Raises:
            ArgumentError: a rule is not a function; the function has arguments without derivatives, which such rules
                do not know; or, from the derivative, there are not as many rules as arguments.
        """
        for position, rule in enumerate(jvps):
            if rule is not None:
                functions("custom_jvp.defjvps", **{f"rule {position}": rule})
        if self.has_static:
            raise ArgumentError(
                f"custom_jvp: `{self.name}` has nondiff_argnums, which rules for single arguments do not know",
                fix="set one rule for all arguments with `defjvp`",
            )

        def jvp(primals: tuple[Tree, ...], tangents: tuple[Tree, ...]) -> tuple[Tree, Tree]:
            if len(jvps) != len(primals):
                raise ArgumentError(
                    f"custom_jvp: `{self.name}` was called with {len(primals)} arguments, "
                    f"but defjvps was given {len(jvps)} rules",
                    fix="give one rule for each argument, None where the result does not depend on it",
                )
            result: Any = self(*primals)  # type: ignore[call-arg]  # as many as the function has
            takes = ", ".join(["tangent", "result", *[f"primal_{i}" for i in range(len(primals))]])
            parts = [
                ruled(f"rule {i} of `{self.name}.defjvps`", takes, rule, tangent, result, *primals)
                for i, (rule, tangent) in enumerate(zip(jvps, tangents, strict=True))
                if rule is not None
            ]
            if not parts:
                return result, tree_map(SymbolicZero.from_primal_value, result)
            return result, functools.reduce(_sum, parts)

        self._jvp, self._symbolic = jvp, False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        rule = self._jvp
        if rule is None:
            raise UnsetRuleError(
                f"custom_jvp: no derivative rule was set for `{self.name}`",
                fix=f"decorate the rule with @{self.name}.defjvp before calling the function",
            )
        site, leaves = self.taken_apart(args, kwargs)
        results = Results()

        def function(*operands: Operand) -> Operands:
            return results.flat(self.fun(*site.arguments(operands)), site.name)

        call = CustomJvpCall(
            site.name, as_reader(function), _Jvp(rule, site, results, self._symbolic), self.pure
        )
        outputs = bind(call, *leaves)
        tree: R = results.tree(outputs)
        return tree


def _sum(left: Tree, right: Tree) -> Tree:
    """Return the sum of two trees of tangents."""
    return tree_map(lambda x, y: ops.add(as_array(x), as_array(y)), left, right)


@final
@frozen
class _Jvp:
    """The user's rule at a call, on flat operands."""

    rule: Callable[..., tuple[Tree, Tree]]
    site: CallSite
    results: Results
    symbolic: bool

    def __call__(self, primals: Operands, tangents: Given) -> tuple[Operands, Given]:
        """Return the results and their tangents."""
        site = self.site
        rule = f"the jvp rule of `{site.name}`"
        shown = shown_zeros(tangents, [type_of(primal) for primal in primals], self.symbolic)
        arguments = (*site.given(), site.dynamic(primals), site.tangents(shown))
        given = ruled(rule, f"{site.before}primals, tangents", self.rule, *arguments)
        output, derivative = pair_of(rule, "(results, tangents)", given)
        results = self.results.of_rule(rule, output, site.name)
        of_results = self.results.structure
        assert of_results is not None
        if forms(of_results):
            leaves = tangent_leaves(of_results, derivative)
            out_tangents, _ = flatten_tangents(leaves, f"{site.name}: tangent ")
        else:
            out_tangents, structure = flatten_tangents(derivative, f"{site.name}: tangent ")
            same_structure(f"the tangents returned by {rule}", structure, "its results", of_results)
        return results, [
            exact_or_none(rule, "tangent", type_of(result), tangent)
            for result, tangent in zip(results, out_tangents, strict=True)
        ]
