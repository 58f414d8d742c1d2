"""Split elements that StableHLO has no type for, several numbers each: an array of them has one more axis on a device.

Random keys of 128 bits are two ui64, keys of a library's generator some ui32. What moves such elements, or compares
them, moves or compares the first numbers of all, then the second ones: the operation is repeated for each part of the
elements (of keys of 128 bits, a part is a key of 64 bits). So only the rules of random bits handle such elements.

Example:
    >>> from treadle_ir import ArrayType, ops, stage
    >>> from treadle_ir.core import dtypes
    >>> x = ArrayType((2,), dtypes.RBG)
    >>> program = split_elements(stage(lambda x: [ops.reverse(x, dimensions=(0,))], x).program)
    >>> for each in program.equations:
    ...     print(each)
    <equation key<fry>[2], key<fry>[2] = unpack_elements>
    <equation key<fry>[2] = reverse>
    <equation key<fry>[2] = reverse>
    <equation key<rbg>[2] = pack_elements>
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import ClassVar, final

from treadle_compiler.legalise.features import Features
from treadle_compiler.legalise.rewriting import map_equations
from treadle_compiler.types import device_shape, is_in_parts
from treadle_ir import (
    ArrayType,
    Atom,
    Attributeless,
    DType,
    Equation,
    Primitive,
    Program,
    Type,
    Value,
    register,
)
from treadle_ir.core import PURE, Randomness
from treadle_ir.core.dtypes import KEY, UNSAFE_RBG, is_wide_key, physical_type
from treadle_ir.primitives.compare import Compare
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.elementwise import And, Or
from treadle_ir.primitives.memory import ToMemory
from treadle_ir.process import frozen


@register
@final
class UnpackElements(Attributeless):
    """The parts of elements: an array of the first ones, one of the second ones, and so on."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "unpack_elements"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """An array of the operand's shape for each part."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        return (part_type(x),) * device_shape(x)[-1]


@register
@final
@frozen
class PackElements(Primitive):
    """Elements, made of arrays of their parts; the inverse of `unpack_elements`."""

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "pack_elements"
    dtype: DType

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """An array of the shape of each operand."""
        assert isinstance(operands[0], ArrayType)
        return (ArrayType(operands[0].shape, self.dtype),)


def applies(features: Features) -> bool:
    """Return whether there are elements of several parts."""
    return any(map(is_in_parts, features.types))


def split_elements(program: Program) -> Program:
    """Repeat each operation on elements of several parts for each part of them."""
    return map_equations(program, lambda _: _split)


def part_type(type: Type) -> Type:
    """Return the type of one part of elements; any other type as it is."""
    if not is_in_parts(type):
        return type
    dtype, _ = physical_type(type.dtype)
    return ArrayType(type.shape, KEY if is_wide_key(type.dtype) else dtype)


def _is_split(equation: Equation) -> bool:
    """Return whether an operation is repeated for each part of its operands.

    Random bits, what moves arrays to a memory, and primitives that hold programs, whose equations come one by one, take
    the elements as they are. New keys are made of each part of a key, except by the generator that makes
    keys itself.
    """
    primitive = equation.primitive
    parts = [x.type for x in equation.operands if is_in_parts(x.type)]
    if not primitive.takes_keys or not parts:
        return False
    from treadle_ir.primitives.random import (  # noqa: PLC0415 - few programs have keys
        RandomFoldIn,
        RandomSplit,
    )

    if isinstance(primitive, RandomFoldIn | RandomSplit):
        return is_wide_key(parts[0].dtype) and parts[0].dtype != UNSAFE_RBG
    if isinstance(primitive, Convert) and primitive.dtype == parts[0].dtype:  # to its own type
        return False
    return not (isinstance(primitive, Randomness | ToMemory) or primitive.programs())


def _split(equation: Equation) -> Sequence[Equation] | None:
    if not _is_split(equation):
        return None
    made: list[Equation] = []

    def bind(primitive: Primitive, operands: Sequence[Atom], results: Sequence[Value]) -> None:
        effects = equation.effects if primitive is equation.primitive else PURE
        made.append(Equation(primitive, tuple(operands), tuple(results), effects, equation.source))

    cut: list[Sequence[Atom]] = []
    for x in equation.operands:
        if is_in_parts(x.type):
            parts = [Value(type) for type in UnpackElements().infer(x.type)]
            bind(UnpackElements(), [x], parts)
            cut.append(parts)
        else:
            cut.append([x])
    results = []
    for at in range(max(map(len, cut))):
        results.append([Value(part_type(x.type)) for x in equation.results])
        bind(equation.primitive, [x[min(at, len(x) - 1)] for x in cut], results[-1])
    renamed: dict[Value, Value] = {}
    for found, result in zip(zip(*results, strict=True), equation.results, strict=True):
        if is_in_parts(result.type):
            bind(PackElements(result.type.dtype), found, [result])
        elif isinstance(equation.primitive, Compare):
            _combine(equation, found, result, made)
        else:
            renamed[found[0]] = result
    if renamed:
        made = [
            each._replace(results=tuple([renamed.get(x, x) for x in each.results])) for each in made
        ]
    return made


def _combine(
    equation: Equation, found: Sequence[Value], result: Value, made: list[Equation]
) -> None:
    """Add equations that combine the comparisons of all parts."""
    assert isinstance(equation.primitive, Compare)
    both = And() if equation.primitive.direction == "eq" else Or()

    def combined(x: Value, y: Value) -> Value:
        both_of = result if y is found[-1] else Value(result.type)
        made.append(Equation(both, (x, y), (both_of,), PURE, equation.source))
        return both_of

    reduce(combined, found)
