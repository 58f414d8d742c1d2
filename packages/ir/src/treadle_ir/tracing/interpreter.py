"""Run a program under the current trace, one equation at a time.

Values are dropped after their last use, so that interpreting needs no more memory than the program does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType, user_name
from treadle_ir.core.program import Program
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.values import Atom, Value
from treadle_ir.errors.kinds import ArgumentError, DTypeError, ShapeError, out_of_range
from treadle_ir.errors.source import Place, place, placed
from treadle_ir.process.nesting import deeper
from treadle_ir.tracing.array import Operand, Operands, type_of
from treadle_ir.tracing.trace import current_trace


def last_uses(program: Program) -> dict[int, list[Value]]:
    """Return the values to drop after each equation, by its index: no later equation and no result needs them."""
    last: dict[Value, int] = {}
    for index, equation in enumerate(program.equations):
        for atom in equation.operands:
            if type(atom) is Value:
                last[atom] = index
        for result in equation.results:
            last.setdefault(result, index)
    for atom in program.results:
        if type(atom) is Value:
            last.pop(atom, None)
    drops: dict[int, list[Value]] = {}
    for value, index in last.items():
        drops.setdefault(index, []).append(value)
    return drops


def interpret(program: Program, *operands: Operand) -> Operands:
    """Apply a program to operands under the current trace.

    Under evaluation it computes; under staging it inlines the program into the staged one. Operands have the
    shapes and element types of the parameters; whether they are weak does not matter, and Python numbers, which are
    weak, become numbers of the parameter's element type.

    Raises:
        ArgumentError: there are too few or too many operands, or an operand is not an array.
        ShapeError, DTypeError: the shape or the element type of an operand differs from the parameter's.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> program = stage(lambda x: [ops.multiply(x, x)], ArrayType((2,), np.dtype(np.float32))).program
        >>> print(*interpret(program, np.array([2.0, 3.0], np.float32)))
        [4. 9.]
    """
    count, wanted = len(operands), program.parameters
    if count != len(wanted):
        raise ArgumentError(
            f"interpret: the program has {_counted(len(wanted), 'parameter')}, but "
            f"{_counted(count, 'operand')} {'was' if count == 1 else 'were'} given",
            fix=f"give one operand for each of {', '.join(map(str, program.parameter_types)) or 'none'}",
        )
    fitting = [
        _fitting(index, operand, each.type)
        for index, (operand, each) in enumerate(zip(operands, wanted, strict=True))
    ]
    return interpret_unchecked(program, *fitting)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _fitting(index: int, operand: Any, wanted: Type) -> Operand:  # Any: a user's
    """Return the operand, converted if necessary, after checking that parameter `index` takes it."""
    if not isinstance(wanted, ArrayType):
        return operand  # type: ignore[no-any-return]  # of a type that only its own operations can check
    given: Type = type_of(operand)
    if not isinstance(given, ArrayType):
        raise DTypeError(f"interpret: parameter %{index} is {wanted}, but the operand is {given}")
    if given.shape != wanted.shape:
        raise ShapeError(
            f"interpret: parameter %{index} is {wanted}, but the operand is {given}",
            fix=f"give an array of shape {wanted.shape}, or stage the function again for {given}",
        )
    if isinstance(operand, (bool, int, float, complex)) and not isinstance(operand, np.generic):
        if _holds(wanted.dtype, operand):
            try:
                return wanted.dtype.type(np.asarray(operand, wanted.dtype))  # type: ignore[no-any-return]  # a scalar of the dtype
            except OverflowError as error:
                raise out_of_range(error) from None
    elif given.dtype == wanted.dtype:
        return operand  # type: ignore[no-any-return]  # an operand, or it would have no type
    raise DTypeError(
        f"interpret: parameter %{index} is {wanted}, but the operand is {given}",
        fix=f"convert it first, `x.astype({user_name(wanted.dtype)!r})`, or stage the function again for {given}",
    )


def _holds(dtype: DType, number: object) -> bool:
    """Return whether an element type can hold this kind of Python number: 1 is a float, too, but 1.0 not an integer."""
    if isinstance(number, bool) or dtypes.is_complex(dtype):
        return not isinstance(number, bool) or dtypes.is_bool(dtype)
    return not isinstance(number, complex) and (
        dtypes.is_floating(dtype) or (isinstance(number, int) and dtypes.is_integer(dtype))
    )


def interpret_unchecked(program: Program, *operands: Operand) -> Operands:
    """Apply a program as `interpret` does, without checks, to operands that have the types of the parameters."""
    assert len(operands) == len(program.parameters), "one operand per parameter"
    process = current_trace().process
    environment: dict[Value, Operand] = dict(zip(program.parameters, operands, strict=True))
    drops = last_uses(program)
    outer = place.get()
    here = Place("") if outer is None else Place(outer.scope, path=outer.path)
    with deeper(), placed(here):
        for index, equation in enumerate(program.equations):
            here.replayed = equation.source
            inputs = [_read(atom, environment) for atom in equation.operands]
            results = process(equation.primitive, inputs)
            environment.update(zip(equation.results, results, strict=True))
            for value in drops.get(index, ()):
                environment.pop(value, None)
    return [_read(atom, environment) for atom in program.results]


def _read(atom: Atom, environment: dict[Value, Operand]) -> Operand:
    if isinstance(atom, Value):
        return environment[atom]
    # A weak literal stays a literal: as a NumPy scalar it would become strong, and so would every result of it.
    return atom if atom.type.weak else atom.value
