"""Shapes with sizes that an exported function leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from treadle_ir import ArgumentError
from treadle_ir.calling import type_like
from treadle_ir.errors import integer_or_none, refused, sequence_or_none
from treadle_ir.symbolic import SymbolicScope, read_shape
from treadle_ir.tree import broadcast_prefix, flatten_leaves_and_structure
from treadle_runtime import ShapeDtypeStruct

_EVERY_SIZE: Final = "..."


def symbolic_shape(
    shape_spec: str | None,
    *,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
    like: Sequence[int | None] | None = None,
) -> tuple[Any, ...]:
    """Return a shape with symbolic dimensions, from its text. Any: integers and dimensions.

    Args:
        shape_spec: sizes as in `"b, 4*n + 1, 3"`, of names, integers, `+`, `-`, `*`, `^` and `floordiv`, `mod`, `max`,
            `min` of two sizes. `_` stands for the size of `like`, a last `...` for all its further sizes. None is
            `"..."`. Every name stands for at least 1.
        constraints: what holds between sizes, as in `"b >= 8"`, `"n <= b"` or `"mod(b, 4) == 0"`.
        scope: instead of constraints: the scope of dimensions that these are to be used with.
        like: a shape to take sizes from.

    Raises:
        ArgumentError: the text does not parse, asks `like` for a size that it lacks, or constraints and a scope are
            both given.

    Example:
        >>> from treadle import export
        >>> b, n, three = export.symbolic_shape("b, 4*n + 1, 3", constraints=["b >= 8"])
        >>> b * (n - 1), b >= 4, three
        (4*b*n, True, 3)
    """
    return _shape("symbolic_shape", shape_spec, _scope("symbolic_shape", constraints, scope), like)


def symbolic_args_specs(
    args: Any,
    shapes_specs: Any,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
) -> Any:
    """Return a tree of `ShapeDtypeStruct`s with symbolic shapes, to export a function for. Any: pytrees.

    Args:
        args: arrays, or what has their shapes and element types.
        shapes_specs: a text for `symbolic_shape`, or a tree of them that is a prefix of `args` (a list for a
            tuple as well). Its placeholders are
            the sizes of the arrays; None stands for `"..."`.
        constraints: as for `symbolic_shape`.
        scope: as for `symbolic_shape`.

    Raises:
        ArgumentError: a text does not parse; TreeError: the texts are not a prefix of the arguments.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle import export
        >>> export.symbolic_args_specs((tnp.ones((2, 3)), tnp.ones(3)), ("b, _", None))
        (ShapeDtypeStruct(shape=(b, 3), dtype=float32), ShapeDtypeStruct(shape=(3,), dtype=float32))
    """
    name = "symbolic_args_specs"
    chosen = _scope(name, constraints, scope)
    leaves, structure = flatten_leaves_and_structure(args)
    if shapes_specs is None or isinstance(shapes_specs, str):
        texts = [shapes_specs] * len(leaves)
    else:
        if isinstance(shapes_specs, list) and isinstance(args, tuple):  # as `in_axes` may be a list
            shapes_specs = tuple(shapes_specs)
        texts = broadcast_prefix(shapes_specs, args, is_leaf=lambda each: each is None)
    made = []
    for leaf, text in zip(leaves, texts, strict=True):
        type = type_like(name, leaf)
        made.append(
            ShapeDtypeStruct(
                _shape(name, text, chosen, type.shape), type.dtype, weak_type=type.weak
            )
        )
    return structure.unflatten(made)


def _scope(function: str, constraints: Sequence[str], scope: SymbolicScope | None) -> SymbolicScope:
    if scope is None:
        return SymbolicScope(constraints)
    if not isinstance(scope, SymbolicScope):
        raise refused(function, "scope", "a SymbolicScope", scope)
    if constraints:
        raise ArgumentError(
            f"{function}: constraints and a scope, which has constraints of its own, are both given",
            fix="give the constraints where the scope is made: SymbolicScope([...])",
        )
    return scope


def _shape(
    function: str, text: object, scope: SymbolicScope, like: Sequence[int | None] | None
) -> tuple[Any, ...]:
    if text is None:
        text = _EVERY_SIZE
    if not isinstance(text, str):
        raise refused(function, "a shape", "a string or None", text)
    sizes = sequence_or_none(function, "like", like)
    if sizes is not None:
        sizes = tuple([integer_or_none(function, "each of like", size) for size in sizes])
    return read_shape(text, scope, sizes)
