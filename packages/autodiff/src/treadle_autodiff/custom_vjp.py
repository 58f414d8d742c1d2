"""custom_vjp: a function with its own reverse derivative rule; and custom_gradient, another spelling of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final, overload

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.custom_function import (
    CallSite,
    CustomFunction,
    P,
    R,
    Results,
    Static,
    exact_or_none,
    pair_of,
    with_hash,
)
from treadle_autodiff.layouts import Shown, shown_of
from treadle_autodiff.ref_arguments import lent, returned
from treadle_autodiff.symbolic_zeros import (
    CustomVJPPrimal,
    SymbolicZero,
    flatten_tangents,
    shown_zeros,
)
from treadle_autodiff.tangents import stays_wide, zeros
from treadle_autodiff.user_function import Tree, check_callable
from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    Operand,
    Operands,
    Program,
    UnsupportedError,
    bind,
    ops,
    type_of,
)
from treadle_ir.calling import TreeFunction, array_results, as_array, flatten_arrays, ruled
from treadle_ir.core import Flags, float0
from treadle_ir.core.dtypes import is_floating, is_inexact
from treadle_ir.errors import UnsetRuleError, flags, functions, wraps
from treadle_ir.primitives.call import CustomVjpCall, CustomVjpRule, FlatBackward, Given
from treadle_ir.process import frozen
from treadle_ir.refs import as_reader
from treadle_ir.tracing import interpret_unchecked as interpret, over_mesh, stage_tree
from treadle_ir.tree import (
    Partial,
    PyTreeDef,
    flatten_leaves_and_structure,
    forms,
    opened_leaves,
    spread_prefix,
    tangent_leaves,
    tangent_structure,
    tree_unflatten,
)

_NUMBERS: Final = (bool, int, float, complex)


@final
class custom_vjp(CustomFunction[P, R]):  # noqa: N801 - the public name, used as a decorator
    """A function with its own reverse derivative rule, a pair of functions.

    Decorate a function with it, then set the two functions with `defvjp`. The function evaluates as before; reverse
    mode uses the functions, and forward mode is an error.

    Args:
        fun: the function; its arguments and results are pytrees of arrays.
        nondiff_argnums: positions of arguments that are not differentiated, such as functions. `bwd` receives them
            first.
        nondiff_argnames: the same for arguments by name.
        pure: a promise that the function and its rules read nothing that may change.

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
    _optimize = False

    def defvjp(
        self,
        fwd: Callable[..., tuple[Tree, Tree]],
        bwd: Callable[..., tuple[Tree, ...]],
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
        generic_batching: bool = False,
    ) -> None:
        """Set the forward and the backward function.

        References among the arguments and the residuals are passed unchanged, and have no cotangent (None): `bwd` may
        write a cotangent to one.

        Args:
            fwd: a function of the arguments of the decorated function that returns `(results, residuals)`; residuals
                are a pytree of arrays. With `symbolic_zeros`, each leaf of its arguments is a `CustomVJPPrimal`,
                which tells whether the leaf is differentiated.
            bwd: a function `bwd(*nondiff, residuals, cotangents)`; `cotangents` have the structure, shapes and dtypes
                of the results. It returns a tuple with one cotangent per differentiable argument, like the argument;
                None, or a `SymbolicZero`, for any zero part of them.
            symbolic_zeros: whether cotangents that are known to be zero are `SymbolicZero`s instead of arrays of
                zeros.
            optimize_remat: has no effect: unused results of `fwd` are left out under `checkpoint` anyway.
            generic_batching: has no effect: under vmap, a result that all batch elements share is passed to `fwd`
                once, gets a cotangent for each batch element, and none is counted twice.

        Raises:
            ArgumentError: a rule is not a function, or a flag not a boolean.
        """
        functions("custom_vjp.defvjp", fwd=fwd, bwd=bwd)
        flags(
            "custom_vjp.defvjp",
            symbolic_zeros=symbolic_zeros,
            optimize_remat=optimize_remat,
            generic_batching=generic_batching,
        )
        self._rules, self._symbolic = (with_hash(fwd), with_hash(bwd)), symbolic_zeros
        self._optimize = optimize_remat

    @property
    def optimize_remat(self) -> bool:
        """Whether `defvjp` was asked to; it changes nothing."""
        return self._optimize

    @property
    def fwd(self) -> Callable[..., Tree] | None:
        """The first of the two functions, None until they are set."""
        return None if self._rules is None else self._rules[0]

    @property
    def bwd(self) -> Callable[..., Tree] | None:
        """The second of the two functions, None until they are set."""
        return None if self._rules is None else self._rules[1]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        if self._rules is None:
            raise UnsetRuleError(
                f"custom_vjp: no derivative rules were set for `{self.name}`",
                fix=f"call {self.name}.defvjp(fwd, bwd) before calling the function",
            )
        fwd, bwd = self._rules
        site, leaves = self.taken_apart(args, kwargs)
        results = Results()

        def function(*operands: Operand) -> Operands:
            return results.flat(self.fun(*site.arguments(operands)), site.name)

        rule = CustomVjpRule(_Forward(fwd, bwd, site, results, self._symbolic), pure=self.pure)
        outputs = bind(CustomVjpCall(site.name, as_reader(function), rule), *leaves)
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
    symbolic: bool

    def __call__(
        self, operands: Operands, perturbed: Flags
    ) -> tuple[Operands, Operands, FlatBackward]:
        """Return results, residuals, and the backward function for these."""
        site = self.site
        leaves: list[Any] = [*operands]
        if self.symbolic:
            leaves = [CustomVJPPrimal(*pair) for pair in zip(operands, perturbed, strict=True)]
        rule = f"the fwd rule of `{site.name}`"
        given = ruled(rule, f"the arguments of `{site.name}`", self.fwd, *site.arguments(leaves))
        output, kept = pair_of(rule, "(results, residuals)", given)
        results = self.results.of_rule(rule, output, site.name)
        lending = lent(kept)
        residuals, structure = flatten_arrays(lending, f"{site.name}: residual ")
        # Python's numbers reach the backward function as they are: it may ask `if` of them.
        numbers = tuple(
            [Static(leaf) if type(leaf) in _NUMBERS else None for leaf in opened_leaves(lending)]
        )
        residuals = [x for x, number in zip(residuals, numbers, strict=True) if number is None]
        assert self.results.structure is not None
        types = tuple([type_of(operand) for operand in operands])
        backward = _Backward(
            self.bwd,
            site,
            structure,
            lending is not kept,
            numbers,
            self.results.structure,
            types,
            tuple([type_of(result) for result in results]),
            self.symbolic,
            shown_of(results),
        )
        return results, residuals, backward


@final
@frozen
class _Backward:
    """The user's bwd function at a call, on flat residuals and cotangents."""

    bwd: Callable[..., tuple[Tree, ...]]
    site: CallSite
    residuals: PyTreeDef
    lends: bool  # whether there are references among these
    numbers: tuple[Static | None, ...]  # the residuals that are Python's numbers
    results: PyTreeDef
    types: tuple[ArrayType, ...]  # of the operands
    result_types: tuple[ArrayType, ...]
    symbolic: bool
    shardings: Shown | None  # of the results

    def __call__(self, residuals: Operands, cotangents: Given) -> Given:
        """Return cotangents of the operands, checked; None stands for zeros."""
        if self.shardings is None:
            return self._checked(residuals, cotangents)
        with over_mesh(self.shardings.mesh):
            return self._checked(residuals, self.shardings.resharded(cotangents))

    def _checked(self, residuals: Operands, cotangents: Given) -> Given:
        shown = shown_zeros(cotangents, self.result_types, self.symbolic)
        given = iter(residuals)
        leaves = [next(given) if x is None else x.value for x in self.numbers]
        kept = tree_unflatten(self.residuals, leaves)
        name = self.site.name
        outgoing: object = ruled(
            f"the bwd rule of `{name}`",
            f"{self.site.before}residuals, cotangents",
            self.bwd,
            *self.site.given(),
            returned(kept) if self.lends else kept,
            tree_unflatten(tangent_structure(self.results), shown),
        )
        arguments = tree_unflatten(self.site.structure, self.types)
        if not isinstance(outgoing, (tuple, list)) or len(outgoing) != len(arguments):
            count = (
                len(outgoing) if isinstance(outgoing, (tuple, list)) else type(outgoing).__name__
            )
            raise ArgumentError(
                f"the bwd rule of `{name}` must return a tuple with one cotangent for each of "
                f"{len(arguments)} differentiable arguments, but it returned {count}",
                fix="return a tuple, also for one argument: `return (ct_x,)`",
            )
        found: list[Operand | None] = []
        for position, (argument, cotangent) in enumerate(zip(arguments, outgoing, strict=True)):
            types, structure = flatten_leaves_and_structure(argument)
            cotangents_of = self._given(position, argument, structure, cotangent)
            found += [
                _zeros(primal)
                if ct is None
                or primal.tangent().dtype == float0  # whatever it is, it is not a derivative
                else exact_or_none(
                    f"the bwd rule of `{name}`", "cotangent", *_of_one_width(primal, ct)
                )
                for primal, ct in zip(types, cotangents_of, strict=True)
            ]
        return found

    def _given(
        self, position: int, argument: Tree, structure: PyTreeDef, cotangent: Tree
    ) -> list[Array | SymbolicZero | None]:
        """Return the cotangents of the leaves of an argument, where one, or None, may stand for a whole subtree."""
        name = self.site.name
        if forms(structure) and cotangent is not None:
            cotangent = tangent_leaves(structure, cotangent)
            return [*flatten_tangents(cotangent, f"{name}: cotangent {position}")[0]]
        given, given_structure = flatten_tangents(cotangent, f"{name}: cotangent {position}")
        if given_structure == structure:
            return [*given]
        try:
            leaves = spread_prefix(
                f"{name}: cotangent and argument {position}",
                cotangent,
                argument,
                lambda x: x is None,
            )
        except ValueError:
            same_structure(
                f"cotangent {position} returned by the bwd rule of `{name}`",
                given_structure,
                f"argument {position}",
                structure,
            )
            raise
        return [
            leaf if leaf is None or isinstance(leaf, SymbolicZero) else as_array(leaf)
            for leaf in leaves
        ]


def _zeros(primal: ArrayType) -> Operand | None:
    """Return the zeros that None represents in a cotangent; None where there is no derivative."""
    return zeros(primal.tangent()) if is_inexact(primal.dtype) else None


def _of_one_width(
    primal: ArrayType, given: Array | SymbolicZero
) -> tuple[ArrayType, Array | SymbolicZero]:
    """Return the type that a cotangent must have, and the cotangent; a float of another width is converted.

    A rule may compute in more bits than its operands have. What `stays_wide` is left as it is.
    """
    if isinstance(given, SymbolicZero) or given.dtype == primal.dtype:
        return primal, given
    if not (is_floating(primal.dtype) and is_floating(given.dtype)):
        return primal, given
    if stays_wide(primal, given.dtype):
        return primal.with_dtype(given.dtype), given
    return primal, ops.convert(given, dtype=primal.dtype)


def _as_tuple(outgoing: Tree) -> tuple[Tree, ...]:
    return outgoing if isinstance(outgoing, tuple) else (outgoing,)


@final
@frozen
class _Gradient:
    """A gradient function as a program; called with what it closed over, and a cotangent."""

    program: Program
    gradients: PyTreeDef

    def __call__(self, *captured_and_cotangent: Tree) -> Tree:
        """Return the gradients."""
        *captured, cotangent = captured_and_cotangent
        leaves, _ = flatten_arrays(cotangent, "custom_gradient: cotangent ")
        return tree_unflatten(self.gradients, interpret(self.program, *captured, *leaves))


@overload
def custom_gradient(
    fun: Callable[P, tuple[R, Callable[..., Tree]]],
    *,
    with_logs: bool = False,
    remat: bool = False,
    with_accums: object = None,
) -> Callable[P, R]: ...
@overload
def custom_gradient(
    fun: None = None, *, with_logs: bool = False, remat: bool = False, with_accums: object = None
) -> Callable[[Callable[P, tuple[R, Callable[..., Tree]]]], Callable[P, R]]: ...
def custom_gradient(
    fun: Callable[..., Tree] | None = None,
    *,
    with_logs: bool = False,
    remat: bool = False,
    with_accums: object = None,
) -> Callable[..., Tree]:
    """Return a function that returns `(value, gradient_function)`; the second is its backward rule.

    Args:
        fun: the function; without one, the result is a decorator.
        with_logs: logs of the backward pass, which are refused.
        remat: rules of what to compute again, which are refused.
        with_accums: kinds of accumulators, which are refused.

    Raises:
        UnsupportedError: one of the last three is given; ArgumentError: `fun` is not a function.

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
    flags("custom_gradient", with_logs=with_logs, remat=remat)
    given = {"with_logs": with_logs, "remat": remat, "with_accums": with_accums is not None}
    for name, value in given.items():
        if value:
            raise UnsupportedError(
                f"custom_gradient: the argument `{name}` is not supported",
                fix="return (value, gradient_function); `checkpoint` with a policy says what to compute again",
            )
    if fun is None:
        return custom_gradient
    check_callable(fun, "custom_gradient")
    name = getattr(fun, "__name__", "function")

    def both(xs: tuple[Tree, ...]) -> tuple[Tree, Callable[..., Tree]]:
        # as many as the function has
        value, gradient = pair_of("custom_gradient: the function", "(value, gradient)", fun(*xs))
        functions("custom_gradient", gradient=gradient)
        return value, gradient

    @custom_vjp
    def wrapped(*xs: Tree) -> Tree:
        return both(xs)[0]

    def fwd(*xs: Tree) -> tuple[Tree, Tree]:
        value, gradient = both(xs)
        # What the gradient function closes over are the residuals, so that nothing is computed again.
        leaves, structure = flatten_arrays(value, "custom_gradient: result ")
        backward = TreeFunction(
            lambda ct: _as_tuple(
                ruled(f"the gradient function of `{name}`", "cotangents", gradient, ct)
            ),
            lambda operands: ((tree_unflatten(structure, operands),), {}),
            array_results("custom_gradient: gradient "),
        )
        staged, out = stage_tree(backward, *[type_of(leaf).tangent().unsharded for leaf in leaves])
        return value, Partial(_Gradient(staged.program, out), *staged.captured)

    def bwd(kept: Callable[[Tree], Tree], ct: Tree) -> Tree:
        return kept(ct)

    wrapped.defvjp(fwd, bwd)

    @wraps(fun)
    def value_only(*args: Tree, **kwargs: Tree) -> Tree:
        return wrapped(*args, **kwargs)

    return value_only
