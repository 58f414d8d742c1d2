"""Checks of tangents and cotangents that users pass: one structure, and for each primal its type."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.tangents import Tangent, Zero
from treadle_autodiff.user_function import Tree
from treadle_ir import Array, ArrayType, Operand, Operands, ShapeError, ops, type_of
from treadle_ir.calling import flatten_arrays
from treadle_ir.core import float0
from treadle_ir.core.dtypes import is_complex, is_inexact
from treadle_ir.errors import StructureError
from treadle_ir.tree import PyTreeDef, explain_difference, forms, tangent_leaves


def same_structure(what: str, structure: PyTreeDef, other_name: str, other: PyTreeDef) -> None:
    """Refuse two trees of different structure, naming the paths.

    Raises:
        StructureError: they differ.
    """
    if structure != other:
        lines = "; ".join(explain_difference(structure, other))
        raise StructureError(
            f"{what} and {other_name} must be pytrees of one structure, but they differ {lines}",
            fix=f"build {what} with treadle.tree.map over {other_name}",
        )


def flatten_along(
    what: str, leaf: str, tangents: Tree, other_name: str, structure: PyTreeDef
) -> list[Array]:
    """Return the leaves of a tree of tangents or cotangents, one for each leaf of a structure.

    `what` and `other_name` name the trees in messages, `leaf` begins the name of a leaf.

    Raises:
        StructureError: the tree has another structure; ArgumentError: a leaf is not an array.
    """
    if forms(structure):
        return flatten_arrays(tangent_leaves(structure, tangents), leaf)[0]
    leaves, given = flatten_arrays(tangents, leaf)
    same_structure(what, given, other_name, structure)
    return leaves


def check_type(what: str, primal: ArrayType, tangent: Operand) -> Tangent:
    """Check a tangent against the type of its primal, and return it; integers take float0 tangents, which are zero.

    Raises:
        ShapeError: shapes differ or the element type is not the primal's.
    """
    expected, given = primal.tangent(), type_of(tangent)
    if expected.dtype == float0:
        if given.dtype != float0 or given.shape != expected.shape:
            raise ShapeError(
                f"{what} is {given}, but the primal is {primal}, whose tangents are {expected}",
                fix="pass np.zeros(shape, dtype=treadle.float0), or convert the primal to a floating type",
            )
        return Zero(expected)
    if given.shape != expected.shape or given.dtype != expected.dtype:
        same_kind = is_inexact(given.dtype) and is_complex(given.dtype) == is_complex(
            expected.dtype
        )
        if given.weak and same_kind and given.shape == expected.shape == ():
            return ops.convert(tangent, dtype=expected.dtype)  # a Python number, of another width
        raise ShapeError(
            f"{what} is {given}, but the primal is {expected.strong()}; they must have one shape and element type",
            fix=f"convert or broadcast it to {expected.strong()}",
        )
    return tangent


def check_tangents(what: str, primals: Sequence[ArrayType], tangents: Operands) -> list[Tangent]:
    """Apply `check_type` to each tangent; messages name it by `what` and its number.

    Raises:
        ShapeError: shapes differ or the element type is not the primal's.
    """
    return [
        check_type(f"{what} {i}", primal, tangent)
        for i, (primal, tangent) in enumerate(zip(primals, tangents, strict=True))
    ]


def check_cotangents(
    what: str, results: Sequence[ArrayType], cotangents: Operands
) -> list[Tangent]:
    """Check cotangents, as `check_tangents`; for integer results they may be integers, which count as zero.

    Raises:
        ShapeError: shapes differ or the element type is not the result's.
    """
    checked: list[Tangent] = []
    for i, (result, cotangent) in enumerate(zip(results, cotangents, strict=True)):
        if result.tangent().dtype == float0 and type_of(cotangent).strong() == result.strong():
            checked.append(Zero(result.tangent()))
        else:
            checked.append(check_type(f"{what} {i}", result, cotangent))
    return checked
