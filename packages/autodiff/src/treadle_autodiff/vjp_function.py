"""`VJP`: the second result of `vjp`, a function from cotangents of results to cotangents of arguments.

It is a tree of its residuals. Those that are arguments as they were given lie in `args_res` where the arguments do,
so that code that has the arguments anyway can leave them out (`saveable_args`) and put them back before the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar, final

from treadle_autodiff.linear_maps import BackwardPass, LinearizedSignature
from treadle_autodiff.nonzero_inputs import flags_like
from treadle_autodiff.user_function import Tree
from treadle_ir import ArgumentError, Operand, Operands, ShapeError, ops, type_of
from treadle_ir.calling import as_operand
from treadle_ir.core import float0
from treadle_ir.errors import StructureError, boundary
from treadle_ir.refs import Ref
from treadle_ir.tracing import shown_program
from treadle_ir.tree import (
    Partial,
    PyTreeDef,
    forms,
    keystr,
    leaf_paths,
    register_pytree_node,
    tree_flatten,
    tree_leaves,
    tree_unflatten,
)

R = TypeVar("R")
_NUMBERS: Final = (bool, int, float, complex)


class _Mark:
    """Stands in a tree where there is no array; a node without children."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


@final
class NotNeeded(_Mark):
    """Represents an argument that is not a residual."""

    __slots__ = ()


@final
class NotSaveable(_Mark):
    """Stands for an argument that is a residual and was not to be saved: it is put back before the call."""

    __slots__ = ()


@final
class GradRef(_Mark):
    """Stands for a cotangent that was added to a reference."""

    __slots__ = ()


for _mark in (NotNeeded, NotSaveable, GradRef):
    register_pytree_node(_mark, lambda mark: ((), type(mark)), lambda kind, children: kind())


@boundary
@final
class VJP(Generic[R]):
    """From a cotangent of the results to a tuple of cotangents, one for each argument.

    Attributes:
        args_res: the residuals that are arguments as they were given: a list with a tree for each argument, in which
            `NotNeeded()` represents an argument that is not a residual, and `NotSaveable()` for what was not to be
            saved.
        opaque_residuals: the other residuals.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import vjp
        >>> x, y = np.float32(2.0), np.float32(5.0)
        >>> value, f_vjp = vjp(ops.multiply, x, y, saveable_args=(True, False))
        >>> f_vjp.args_res
        [array(2., dtype=float32), NotSaveable()]
        >>> f_vjp.args_res[1] = y
        >>> print(*f_vjp(np.float32(1.0)))
        5.0 2.0
    """

    __slots__ = ("__weakref__", "_args_res", "_kept", "_places", "of", "opaque_residuals")
    __name__: ClassVar[str] = "f_vjp"

    def __init__(
        self,
        of: LinearizedSignature,
        kept: Sequence[Any],  # Any: operands and marks, one for each leaf of the arguments
        opaque_residuals: Sequence[Operand],
        places: tuple[int | None, ...],  # per residual: which leaf it is, None for an opaque one
    ) -> None:
        self.of = of
        self.opaque_residuals = list(opaque_residuals)
        self._kept = tuple(kept)
        self._places = places
        self._args_res: list[Tree] | None = None  # until somebody asks

    @property
    def in_tree(self) -> PyTreeDef:
        """The structure of the arguments, a tuple."""
        return self.of.structure

    @property
    def out_tree(self) -> PyTreeDef:
        """The structure of the results."""
        return self.of.results

    @property
    def out_nzs(self) -> Tree:
        """A tree of booleans: which results have tangents that may not be zero."""
        return flags_like(self.of.has_tangent, self.of.results)

    @property
    def jaxpr(self) -> Any:  # Any: as programs are shown
        """The linear program of residuals and tangents of arguments that is transposed."""
        return shown_program(self.of.program, ())

    @property
    def args_res(self) -> list[Tree]:
        """The residuals that are arguments as they were given, a tree for each argument."""
        if self._args_res is None:
            arguments = self.of.structure
            self._args_res = (
                [NotNeeded() for _ in arguments.children()]
                if forms(arguments)  # whose parts are not values of the user
                else list(tree_unflatten(arguments, self._kept))
            )
        return self._args_res

    @args_res.setter
    def args_res(self, value: Sequence[Tree]) -> None:
        self._args_res = list(value)

    def __call__(self, *out_ct: Tree) -> tuple[Tree, ...]:
        """Return cotangents of the arguments.

        Raises:
            ArgumentError: there is not one cotangent, or an argument that was not to be saved has not been put back.
            StructureError, ShapeError: the cotangent, or what was put back, does not match.
        """
        if len(out_ct) != 1:
            raise ArgumentError(
                f"the function that vjp returned takes one cotangent, in the structure of the results, "
                f"{self.out_tree}, but was called with {len(out_ct)} arguments",
                fix="hand over the cotangents of several results as one tuple",
            )
        return BackwardPass(self.of)(self._residuals(), out_ct[0])

    def with_refs(self, *refs: Tree) -> Partial[tuple[Tree, ...]]:
        """The same function, but cotangents are added to references: trees like the arguments, with a `Ref` for some.

        Where there is another leaf, the cotangent is returned as ever; `GradRef()` stands for those that were added.

        Raises:
            StructureError: these are not like the arguments.
            ShapeError: a reference holds an array of another shape or element type than the cotangent.

        Example:
            >>> import numpy as np
            >>> from treadle_ir.refs import new_ref
            >>> from treadle_ir import ops
            >>> from treadle_autodiff import vjp
            >>> total = new_ref(np.float32(1.0))
            >>> value, f_vjp = vjp(ops.multiply, np.float32(2.0), np.float32(5.0))
            >>> f_vjp.with_refs(total, True)(np.float32(1.0))
            (GradRef(), array(2., dtype=float32))
            >>> print(total[...])
            6.0
        """
        leaves, structure = tree_flatten(refs)
        if structure != self.of.structure:
            raise StructureError(
                f"with_refs: the references are {structure}, but the arguments are {self.of.structure}",
                fix="give a reference, or True to have the cotangent returned, for each array among the arguments",
            )
        for leaf, type, path in zip(leaves, self.of.types, self._paths(), strict=True):
            tangent = type.tangent().strong()
            if not isinstance(leaf, Ref) or tangent.dtype == float0:
                continue
            if (leaf.shape, leaf.dtype) != (tangent.shape, tangent.dtype):
                raise ShapeError(
                    f"with_refs: the reference for {path} is {leaf.aval}, but the cotangent is {tangent}",
                    fix=f"make it with new_ref(zeros({list(tangent.shape)}, {str(tangent.dtype)!r}))",
                )
        return Partial(_accumulated, self, refs)

    def _residuals(self) -> Operands:
        """Return the residuals in the order of the program."""
        kept, opaque = self._leaves(), iter(self.opaque_residuals)
        missing = [
            self._paths()[place]
            for place in self._places
            if place is not None and isinstance(kept[place], NotSaveable)
        ]
        if missing:
            raise ArgumentError(
                f"vjp: the derivative needs what was not to be saved: {', '.join(missing)}",
                fix="put these arguments back first: f_vjp.args_res[i] = argument",
            )
        return [
            next(opaque) if place is None else self._restored(place, kept[place])
            for place in self._places
        ]

    def _restored(self, place: int, leaf: Any) -> Operand:  # Any: whatever was put back
        operand, expected = as_operand(leaf), self.of.types[place]
        if type_of(operand).strong() != expected.strong():
            raise ShapeError(
                f"vjp: {self._paths()[place]} was {expected}, but what was put back is {type_of(operand)}",
                fix="put back the argument as it was",
            )
        return operand

    def _leaves(self) -> tuple[Any, ...]:
        """Return the operands and marks, one for each leaf of the arguments."""
        if self._args_res is None or forms(self.of.structure):
            return self._kept
        try:
            return tuple(self.of.structure.flatten_up_to(tuple(self._args_res)))
        except ValueError:
            raise StructureError(
                "vjp: args_res is not like the arguments, which are "
                f"{self.of.structure}: {self._args_res}",
                fix="put each argument back where it was",
            ) from None

    def _paths(self) -> list[str]:
        example = tree_unflatten(self.of.structure, range(self.of.structure.num_leaves))
        return [f"args{keystr(path)}" for path in leaf_paths(example)]

    def __repr__(self) -> str:
        return f"VJP(in_tree={self.in_tree}, out_tree={self.out_tree})"


register_pytree_node(
    VJP,
    lambda f: ((f._leaves(), tuple(f.opaque_residuals)), (f.of, f._places)),
    lambda known, children: VJP(known[0], children[0], children[1], known[1]),
)


def _accumulated(f_vjp: VJP[Any], refs: tuple[Tree, ...], out_ct: Tree) -> tuple[Tree, ...]:
    """Run a function made by `VJP.with_refs`: add cotangents to references."""
    cotangents, structure = tree_flatten(f_vjp(out_ct))
    targets = tree_leaves(refs)
    found = [accumulated(target, ct) for target, ct in zip(targets, cotangents, strict=True)]
    arguments: tuple[Tree, ...] = tree_unflatten(structure, found)
    return arguments


def accumulated(target: object, cotangent: Any) -> Any:  # Any: an array
    """A mark for a cotangent that was added to what a reference holds; the cotangent where the target is none."""
    if not isinstance(target, Ref) or cotangent.dtype == float0:
        return cotangent
    target[...] = ops.add(target[...], cotangent)
    return GradRef()


def vjp_function(
    of: LinearizedSignature,
    residuals: Operands,
    leaves: Operands,
    given: Sequence[object],
    saveable: Sequence[bool] | None = None,
) -> VJP[Any]:
    """Return the function of a derivative, whose residuals may be leaves of the arguments, which a user gave.

    Python numbers are not such residuals: users do not have the arrays made from them.
    """
    first: dict[int, int] = {}
    if not forms(of.structure):
        for i, (leaf, user) in enumerate(zip(leaves, given, strict=True)):
            if type(user) not in _NUMBERS:
                first.setdefault(id(leaf), i)
    places = tuple([first.get(id(residual)) for residual in residuals])
    kept: list[Any] = [NotNeeded()] * len(leaves)
    for place, residual in zip(places, residuals, strict=True):
        if place is not None:
            kept[place] = residual if saveable is None or saveable[place] else NotSaveable()
    opaque = [x for place, x in zip(places, residuals, strict=True) if place is None]
    return VJP(of, kept, opaque, places)
