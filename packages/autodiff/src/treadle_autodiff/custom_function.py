"""Functions with derivative rules of their own: what `custom_jvp` and `custom_vjp` share.

The wrappers take pytrees and keyword arguments; inside they bind a `FunctionCall` on flat operands. What the rules
need besides operands - the user's functions, arguments without derivatives, structures of trees - is a `CallSite`,
compared by value, so that the same call staged twice gives equal programs.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, final

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.ref_arguments import lent, returned
from treadle_autodiff.symbolic_zeros import SymbolicZero
from treadle_autodiff.user_function import Tree, check_callable
from treadle_ir import ArgumentError, Array, ArrayType, Operand, Operands, ShapeError, ops, type_of
from treadle_ir.calling import flatten_arrays
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import forwarded, integers, sequence, shown, shown_as, wraps
from treadle_ir.process import frozen
from treadle_ir.tracing import in_positional_form, transparent
from treadle_ir.tree import PyTreeDef, tangent_structure, tree_unflatten

P = ParamSpec("P")
R = TypeVar("R")


@final
class Static:
    """An argument without a derivative. Equal to another of the same class and value, or to itself."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.value) is not type(other.value):
            return False
        if self.value is other.value:
            return True
        try:
            return hash(self.value) == hash(other.value) and bool(self.value == other.value)
        except Exception:  # values that cannot be hashed or compared are equal to themselves only
            return False

    def __hash__(self) -> int:
        try:
            return hash(self.value)
        except Exception:
            return id(self.value)


@final
@frozen
class CallSite:
    """A call's arguments without their operands: static ones, and the structure of the others."""

    name: str
    statics: tuple[Static, ...]
    positions: tuple[int, ...]  # of the static arguments, ascending
    structure: PyTreeDef  # of the tuple of the other arguments
    lends: bool  # whether there are references among these

    def arguments(self, operands: Sequence[Operand]) -> list[Tree]:
        """All arguments in order, with these operands."""
        arguments = [*self.dynamic(operands)]
        for position, static in zip(self.positions, self.statics, strict=True):
            arguments.insert(position, static.value)
        return arguments

    # Any: operands, or one other thing for each of them
    def dynamic(self, operands: Sequence[Any]) -> tuple[Tree, ...]:
        """Return the arguments that have derivatives, as a tuple of trees."""
        return self._of_user(tree_unflatten(self.structure, operands))

    def tangents(self, tangents: Sequence[Any]) -> tuple[Tree, ...]:
        """As `dynamic`, of tangents: one for each operand."""
        return self._of_user(tree_unflatten(tangent_structure(self.structure), tangents))

    def _of_user(self, trees: tuple[Tree, ...]) -> tuple[Tree, ...]:
        """Return the trees, with the references that the user gave."""
        return returned(trees) if self.lends else trees

    @property
    def before(self) -> str:
        """What rules take before their own arguments, for messages."""
        return f"{len(self.statics)} without derivatives, " if self.statics else ""

    def given(self) -> list[object]:
        """Return the static arguments."""
        return [static.value for static in self.statics]


@final
class Results:
    """The structure of a function's results: known when the function, or a rule in its place, has run.

    The function runs under whatever trace is current, and only flat operands come back from there. All of these are
    equal: what a call finds out is not part of what it is.
    """

    __slots__ = ("structure", "types")

    def __init__(self) -> None:
        self.structure: PyTreeDef | None = None
        self.types: tuple[ArrayType, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results)

    def __hash__(self) -> int:
        return hash(Results)

    def flat(self, output: Tree, name: str) -> list[Array]:
        """Return the leaves of the function's output; record their types and the structure."""
        leaves, self.structure = flatten_arrays(output, f"{name}: result ")
        self.types = tuple([type_of(leaf) for leaf in leaves])
        return leaves

    def of_rule(self, rule: str, output: Tree, name: str) -> list[Array]:
        """Flatten the output of a rule in the function's place, as `flat` does.

        Raises:
            StructureError, ShapeError: the function has run, as where it is jitted, and it returned something else.
        """
        if self.structure is None:
            return self.flat(output, name)
        leaves, structure = flatten_arrays(output, f"{name}: result ")
        same_structure(
            f"the results of {rule}", structure, "the function's results", self.structure
        )
        for leaf, expected in zip(leaves, self.types, strict=True):
            got = type_of(leaf)
            if got.shape != expected.shape or got.dtype != expected.dtype:
                raise ShapeError(
                    f"{rule} returned a result of type {got}, but the function returns {expected}",
                    fix="return what the function returns, and then what belongs to the derivative",
                )
        return leaves

    def tree(self, leaves: Operands) -> Tree:
        """Return the results."""
        assert self.structure is not None, "the function has run"
        return tree_unflatten(self.structure, leaves)


def with_hash(fun: Callable[..., R]) -> Callable[..., R]:
    """Make a callable hashable: by identity if its class defines no hash."""
    try:
        hash(fun)
    except TypeError:
        return wraps(fun)(functools.partial(fun))
    return fun


class CustomFunction(ABC, Generic[P, R]):
    """A function, and which of its arguments have no derivative."""

    _symbolic = False

    def __init__(
        self,
        fun: Callable[P, R],
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
        *,
        pure: bool = False,
    ) -> None:
        """Wrap a function. `pure` promises that it and its rules read nothing that may change."""
        check_callable(fun, type(self).__name__)
        shown_as(self, fun)
        self.fun: Callable[..., R] = with_hash(fun)
        self.pure = pure
        self._static = _indices(nondiff_argnums, nondiff_argnames, fun)

    if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
        __getattr__ = forwarded

    @property
    def nondiff_argnums(self) -> tuple[int, ...]:
        """The places of the arguments without a derivative."""
        return tuple(sorted(self._static))

    @property
    def symbolic_zeros(self) -> bool:
        """Whether its rules see zeros that are known as `SymbolicZero`s."""
        return self._symbolic

    @abstractmethod
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""

    def __get__(
        self, instance: object, owner: type
    ) -> Any:  # Any: the method's signature is not known
        """Work on methods."""
        call: Callable[..., R] = self
        return self if instance is None else functools.partial(call, instance)

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return getattr(self.fun, "__name__", "function")

    @property
    def has_static(self) -> bool:
        """Whether some arguments have no derivative."""
        return bool(self._static)

    def taken_apart(
        self, args: tuple[Tree, ...], kwargs: dict[str, Tree]
    ) -> tuple[CallSite, list[Array]]:
        """Return the call without its operands, and the operands."""
        positional = in_positional_form(self.fun, args, kwargs)
        places = tuple([i for i in sorted(self._static) if i < len(positional)])
        statics = tuple([Static(transparent(positional[i])) for i in places])
        dynamic = tuple([x for i, x in enumerate(positional) if i not in self._static])
        operands = lent(dynamic)
        leaves, structure = flatten_arrays(operands, f"{self.name}: argument ")
        return CallSite(self.name, statics, places, structure, operands is not dynamic), leaves


def _indices(
    nondiff: Sequence[int], names: Sequence[str], fun: Callable[..., Tree]
) -> frozenset[int]:
    numbers = integers("custom_jvp or custom_vjp", "nondiff_argnums", nondiff)
    names = sequence("custom_jvp or custom_vjp", "nondiff_argnames", names)
    if not names:
        return frozenset(numbers)
    parameters = list(inspect.signature(fun).parameters)
    for name in names:
        if not isinstance(name, str) or name not in parameters:
            raise ArgumentError(
                f"nondiff_argnames has {shown(name)}, but {fun.__name__} takes {', '.join(parameters)}"
            )
    return frozenset([*numbers, *[parameters.index(name) for name in names]])


def pair_of(rule: str, what: str, given: object) -> tuple[Tree, Tree]:
    """Return the two parts of the result `given` of a rule.

    Raises:
        ArgumentError: it is not a pair.
    """
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ArgumentError(
            f"{rule} must return a pair {what}, but it returned {type(given).__name__}"
        )
    return given[0], given[1]


def exact(rule: str, what: str, primal: ArrayType, given: Array) -> Array:
    """Convert a tangent or cotangent that a rule returned to the element type of its primal, whose type is given.

    Raises:
        ShapeError: it has another shape or element type.
    """
    expected, got = primal.tangent(), type_of(given)
    fits = got.weak and not (is_complex(got.dtype) and not is_complex(expected.dtype))
    if expected.shape != got.shape or (expected.dtype != got.dtype and not fits):
        raise ShapeError(
            f"{rule} returned a {what} of type {got} where {expected.strong()} belongs",
            fix="return tangents and cotangents of the primal's shape and element type",
        )
    return given if got.dtype == expected.dtype else ops.convert(given, dtype=expected.dtype)


def exact_or_none(
    rule: str, what: str, primal: ArrayType, given: Array | SymbolicZero
) -> Array | None:
    """`exact`, where a symbolic zero is None.

    Raises:
        ShapeError: it has another shape or element type.
    """
    if not isinstance(given, SymbolicZero):
        return exact(rule, what, primal, given)
    if given.shape != primal.shape:
        raise ShapeError(
            f"{rule} returned a symbolic zero of shape {given.shape} where {primal.tangent()} belongs",
            fix="make symbolic zeros with `SymbolicZero.from_primal_value(primal)`",
        )
    return None
