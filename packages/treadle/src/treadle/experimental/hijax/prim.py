"""`HiPrim`: an operation of a library's own on arrays and on values of types of its own, with its rules as methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from treadle.core import AbstractValue
from treadle.experimental.hijax.accumulate import GradAccum
from treadle.experimental.hijax.types import HiForm, HiType, hitype_of, lo_types, opened, parts_of
from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    DTypeError,
    MissingRuleError,
    ShapeError,
    bind,
    ops,
    type_of,
)
from treadle_ir.calling import as_array
from treadle_ir.errors import shown
from treadle_ir.tree import tree_flatten, tree_unflatten

Tree: TypeAlias = Any  # Any: what rules of libraries take and return


def declared(of: object, wanted: ArrayType, leaf: object, what: str) -> Array:
    """Return an array of a type that an operation declares; what is weak yields.

    Raises:
        ShapeError, DTypeError: it is of another one.
    """
    array = as_array(leaf)
    found = type_of(array)
    if found.shape != wanted.shape:
        raise ShapeError(f"{of}: {what} is {found}, but {wanted} was declared")
    if found == wanted:
        return array
    if found.dtype != wanted.dtype and not found.weak:
        raise DTypeError(f"{of}: {what} is {found}, but {wanted} was declared")
    return ops.convert(array, dtype=wanted.dtype, weak=wanted.weak)


def pair_of(of: object, method: str, found: object, *, exactly: bool = True) -> tuple[Tree, Tree]:
    """Return the two things that a rule returned; the first two of more, unless they are to be two `exactly`.

    Raises:
        ArgumentError: it returned something else.
    """
    if isinstance(found, (tuple, list)) and (len(found) == 2 or (len(found) > 2 and not exactly)):
        return found[0], found[1]
    parts = {
        "abstract_eval": "the types of the results and the effects",
        "jvp": "the result and its tangent",
    }
    raise ArgumentError(
        f"{of}.{method} must return a pair, of {parts.get(method, 'the result and what is kept for later')}, "
        f"but it returned {shown(found)}",
        fix="return a tuple of two",
    )


def each_of(of: object, method: str, what: str, found: Tree) -> list[Any]:
    """Return the several things that a rule returned.

    Raises:
        ArgumentError: it returned something else than a sequence.
    """
    if not isinstance(found, (tuple, list)):
        raise ArgumentError(
            f"{of}.{method} must return a sequence of {what}, but it returned {shown(found)}",
            fix="return a tuple, also of one",
        )
    return [*found]


class HiPrim:
    """An operation: derive from it, say of which types its arguments and its result are, and write `expand`.

    `__init__` sets `in_avals`, a tuple with a type (or a tree of types) for each argument, `out_aval`, a type or a tree
    of types, and `params`, a dict of what is not traced, whose values become attributes; then it calls
    `super().__init__()`. An instance is called with the arguments. `expand` computes the result of the values
    themselves. The other methods are the rules of transformations, and are asked for only by these.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.hijax import HiPrim
        >>> class Sine(HiPrim):
        ...     def __init__(self, aval):
        ...         self.in_avals, self.out_aval, self.params = (aval,), aval, {}
        ...         super().__init__()
        ...     def expand(self, x):
        ...         return tnp.sin(x)
        ...     def vjp_fwd(self, nzs_in, x):
        ...         return self(x), x
        ...     def vjp_bwd_retval(self, x, ct):
        ...         return (10 * ct,)
        >>> sine = lambda x: Sine(treadle.typeof(x))(x)
        >>> print(sine(0.0), treadle.jit(treadle.grad(sine))(0.0))
        0.0 10.0
    """

    in_avals: tuple[Any, ...]  # Any: trees of types
    out_aval: Any
    params: dict[str, Any]

    def __init__(self) -> None:
        for name in ("in_avals", "out_aval", "params"):
            if not hasattr(self, name):
                raise AttributeError(f"subclass __init__ should set `self.{name}`")
        self.in_avals = tuple(self.in_avals)
        flat, self.in_tree = tree_flatten(self.in_avals)
        self.in_flat: tuple[AbstractValue, ...] = tuple(flat)
        flat, self.out_tree = tree_flatten(self.out_aval)
        self.out_flat: tuple[AbstractValue, ...] = tuple(flat)
        for name, value in self.params.items():
            setattr(self, name, value)

    # --- what a library writes

    def expand(self, *args: Tree) -> Tree:
        """Return the result, of values themselves: where it is run, and in compiled code."""
        raise self._lacks("evaluation", "`expand`")

    def jvp(self, primals: tuple[Tree, ...], tangents: tuple[Tree, ...]) -> tuple[Tree, Tree]:
        """Return the result and its tangent; a tangent that is known to be zero is a `Zero`."""
        raise self._lacks("jvp", "`jvp`")

    def vjp_fwd(self, nzs_in: Tree, /, *args: Tree) -> tuple[Tree, ...]:
        """Return the result, and what the way back needs. `nzs_in` says which arguments are differentiated."""
        raise self._lacks("grad", "`vjp_fwd`")

    def vjp_bwd_retval(self, res: Tree, outgrad: Tree, /) -> tuple[Tree, ...]:
        """Return a cotangent for each argument, or None."""
        raise self._lacks("grad", "`vjp_bwd` or `vjp_bwd_retval`")

    def vjp_bwd(self, res: Tree, outgrad: Tree, /, *arg_accums: Tree) -> Any:  # Any: it may log
        """Give each argument's accumulator its cotangent."""
        found: object = self.vjp_bwd_retval(res, outgrad)
        if not isinstance(found, (tuple, list)) or len(found) != len(arg_accums):
            raise ArgumentError(
                f"{self}.vjp_bwd_retval must return a tuple with a cotangent for each of {len(arg_accums)} "
                f"arguments, but it returned {shown(found)}",
                fix="return a tuple, also for one argument: `return (ct,)`",
            )
        self.give(found, arg_accums)

    def give(self, found: Sequence[Tree], arg_accums: Sequence[Tree]) -> None:
        """Give accumulators the cotangents of the arguments."""
        for accums, given in zip(arg_accums, found, strict=True):
            if given is None:
                continue
            leaves, structure = tree_flatten(accums, lambda x: isinstance(x, GradAccum))
            for accum, ct in zip(leaves, structure.flatten_up_to(given), strict=True):
                if ct is not None:
                    accum.accum(ct)

    def lin(self, nzs_in: Tree, /, *primals: Tree) -> tuple[Tree, ...]:
        """Return the result, and what `linearized` needs."""
        raise self._lacks("linearize", "`lin` and `linearized`")

    def linearized(self, residuals: Tree, /, *tangents: Tree) -> Tree:
        """Return the tangent of the result."""
        raise self._lacks("linearize", "`lin` and `linearized`")

    def transpose(self, out_ct: Tree, *maybe_accums: Tree) -> Any:  # Any: nothing is made of it
        """Give the accumulators, which stand for the arguments that this is linear in, their cotangents."""
        raise self._lacks("transpose", "`transpose`")

    def batch(self, axis_data: Any, args: tuple[Tree, ...], dims: tuple[Tree, ...]) -> Tree:
        """Return the results of all batch elements, and where their axis is: a number, or a `MappingSpec`."""
        raise self._lacks("vmap", "`batch` or `batch_dim_rule`")

    def batch_dim_rule(self, axis_data: Any, dims: tuple[Tree, ...], /) -> Tree:
        """Return where the axis of the batch elements is in the result, for the rules to be made of the others."""
        raise self._lacks("vmap", "`batch` or `batch_dim_rule`")

    def check(self, *arg_tys: Tree) -> None:
        """Refuse arguments of some types: nothing, unless a library writes it."""

    # --- how it is applied

    def __call__(self, *args: Tree) -> Tree:
        """Apply it to arguments, under whatever transformation is at work."""
        if len(args) != len(self.in_avals):
            raise ArgumentError(f"{self} takes {len(self.in_avals)} arguments, but got {len(args)}")
        operands: list[Any] = []
        for aval, leaf in zip(self.in_flat, self.in_tree.flatten_up_to(args), strict=True):
            operands += self.operands_of(aval, leaf)
        self.check(*tree_unflatten(self.in_tree, self.in_flat))
        from treadle.experimental.hijax.application import (  # noqa: PLC0415 - it has the rules of this class
            HiApplication,
        )

        return self.result(bind(HiApplication(self), *operands))

    def operands_of(self, aval: AbstractValue, leaf: Tree) -> list[Any]:
        """Return the operands in programs for an argument."""
        if isinstance(aval, HiType):
            given = hitype_of(leaf)
            if given != aval:
                raise ArgumentError(
                    f"{self} takes a value of type {aval}, but got {leaf!r:.200}"
                    + ("" if given is None else f" of type {given}")
                )
            return opened(aval, leaf)
        (wanted,) = lo_types(aval)
        if hitype_of(leaf) is not None:
            raise ArgumentError(f"{self} takes {wanted}, but got a value of type {hitype_of(leaf)}")
        return [self.array_of(wanted, leaf, "an argument")]

    def parts(self, aval: AbstractValue, value: Tree) -> list[Any]:
        """Return the arrays of a value in programs."""
        return opened(aval, value) if isinstance(aval, HiType) else [value]

    def array_of(self, wanted: ArrayType, leaf: object, what: str) -> Array:
        """Return an array of a type that was declared."""
        return declared(self, wanted, leaf, what)

    def result(self, results: Sequence[Any]) -> Tree:
        """Return the result, of the arrays that programs have."""
        values, rest = [], list(results)
        for aval in self.out_flat:
            count = len(parts_of(aval).types) if isinstance(aval, HiType) else 1
            mine = rest[:count]
            values.append(HiForm(aval).build(mine) if isinstance(aval, HiType) else mine[0])
            del rest[:count]
        return tree_unflatten(self.out_tree, values)

    def has_rule(self, method: str) -> bool:
        """Return whether a library wrote the method."""
        return getattr(type(self), method) is not getattr(HiPrim, method)

    def _lacks(self, what: str, methods: str) -> MissingRuleError:
        return MissingRuleError(
            f"for {what} support, subclass {type(self)} must implement {methods}",
        )

    def __repr__(self) -> str:
        given = " ".join([f"{name}={value}" for name, value in self.params.items()])
        return f"{type(self).__name__}[{given}]" if given else type(self).__name__

    def __hash__(self) -> int:
        return hash((type(self), self.in_flat, self.out_flat, *self.params))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HiPrim) or type(self) is not type(other):
            return False
        return (
            (self.in_flat, self.in_tree) == (other.in_flat, other.in_tree)
            and (self.out_flat, self.out_tree) == (other.out_flat, other.out_tree)
            and self.params == other.params
        )
