"""Type inference of primitives, cached: result types and effects by (primitive, operand types, mesh).

Results of primitives that hold programs or Python functions are not cached: the cache would keep these alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from treadle_ir.core.dtypes import is_extended, no_numbers
from treadle_ir.core.effects import Effects
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.types import INVARIANT, ArrayType, Type, Varying, plain

if TYPE_CHECKING:
    from treadle_ir.core.mesh import AbstractMesh

Inferred: TypeAlias = tuple[tuple[Type, ...], Effects]

_CACHE: Final[dict[tuple[Any, ...], Inferred]] = {}  # Any: a primitive, operand types, a mesh
_LIMIT: Final = 16384


def _refuse_extended(primitive: Primitive, operands: tuple[Type, ...]) -> None:
    for operand in operands:
        if isinstance(operand, ArrayType) and is_extended(operand.dtype):
            raise no_numbers(primitive.name, operand.dtype)


def inferred(primitive: Primitive, operands: tuple[Type, ...]) -> Inferred:
    """Return result types and effects of applying a primitive to operands of these types.

    The results have no shardings and are invariant; what operands have of these does not count.

    Raises:
        ShapeError, DTypeError: the operands do not fit; nothing is cached.
    """
    key = primitive, operands
    found = _CACHE.get(key)
    return _remembered(key, _infer(primitive, operands)) if found is None else found


def inferred_over(
    primitive: Primitive,
    operands: tuple[Type, ...],
    mesh: AbstractMesh | None,
    axes: Varying = INVARIANT,
) -> Inferred:
    """Return result types, with shardings and varying axes, and effects of applying a primitive to such operands.

    Args:
        primitive: any primitive.
        operands: the types of its operands.
        mesh: the mesh in force, if it has explicit axes: the results have shardings over these. Without one, results
            have none, and the shardings of operands are ignored.
        axes: the manual axes in force that are checked: results may vary over these. Without any, results are
            invariant, and the varying axes of operands are ignored.

    Raises:
        ShapeError, DTypeError: the operands have unsuitable types; nothing is cached.
        ShardingTypeError: their shardings are incompatible.
    """
    if mesh is None and not axes:
        return inferred(primitive, operands)
    key = primitive, operands, mesh, axes
    found = _CACHE.get(key)
    if found is None:
        found = _remembered(key, _distributed(primitive, operands, mesh, axes))
    return found


def _remembered(key: tuple[Any, ...], found: Inferred) -> Inferred:
    """Add an entry to the cache, and return it."""
    primitive = key[0]
    if type(primitive).programs is Primitive.programs and not primitive.opaque:
        if len(_CACHE) >= _LIMIT:
            _CACHE.clear()
        _CACHE[key] = found
    return found


def _infer(primitive: Primitive, operands: tuple[Type, ...]) -> Inferred:
    if not primitive.takes_keys:
        _refuse_extended(primitive, operands)
    given = plain(operands)
    return plain(primitive.infer(*given)), primitive.effects(*given)


def _distributed(
    primitive: Primitive, operands: tuple[Type, ...], mesh: AbstractMesh | None, axes: Varying
) -> Inferred:
    from treadle_ir.sharding.rules import sharded_results  # noqa: PLC0415 - few need it
    from treadle_ir.sharding.varying import varying_results  # noqa: PLC0415

    results, effects = inferred(primitive, operands)
    if mesh is not None:
        results = sharded_results(primitive, operands, results, mesh)
    if axes:
        results = varying_results(primitive, operands, results, axes)
    return results, effects
