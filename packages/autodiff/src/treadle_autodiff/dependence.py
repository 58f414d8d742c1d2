"""Which results of calls, loops and branches depend on which operands; the others can be computed without these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from treadle_autodiff.tangents import zeros
from treadle_ir import (
    NOWHERE,
    ArrayType,
    Equation,
    Flags,
    InlineCall,
    LoopParts,
    Operand,
    Primitive,
    Program,
    Type,
    Value,
    deeper,
    derived,
    either,
    frozen,
    inferred,
    interpret_unchecked as interpret,
    reached_carries,
    symbolic_dim_bounds,
)
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.rewrite import dce

SPLIT: Final = (InlineCall, Case, Scan, While)
"""The operations of which some results may depend on an operand, and others not."""


def dependent(primitive: Primitive, given: Sequence[bool]) -> Flags:
    """The results of one of `SPLIT` that depend on the operands which `given` marks."""
    flags = tuple(given)
    if isinstance(primitive, Case) and flags[0]:
        return (True,) * len(primitive.branches[0].results)
    nested = within(primitive, flags)
    if isinstance(primitive, While):
        (cond, of_cond), (_, of_body) = nested
        (goes_on,) = of_program(cond, of_cond)
        carried = of_body[primitive.body_constants :]
        return (True,) * len(carried) if goes_on else carried
    found = [of_program(program, parameters) for program, parameters in nested]
    if isinstance(primitive, Scan) and symbolic_dim_bounds(primitive.length)[0] <= 0:
        # After no iteration the carries are what they were at first.
        _, carries, _ = LoopParts(primitive.constants, primitive.carries)(flags)
        found.append((*carries, *(False for _ in found[0][len(carries) :])))
    return either(*found)


def within(primitive: Primitive, flags: Flags) -> list[tuple[Program, Flags]]:
    """The programs that one of `SPLIT` runs, each with its parameters that depend on the operands which are marked."""
    if isinstance(primitive, InlineCall):
        return [(primitive.program, flags)]
    if isinstance(primitive, Case):
        return [(branch, flags[1:]) for branch in primitive.branches]
    if isinstance(primitive, Scan):
        constants, carries, xs = LoopParts(primitive.constants, primitive.carries)(flags)
        carried = reached_carries(
            lambda carried: of_program(primitive.body, (*constants, *carried, *xs)), carries
        )
        return [(primitive.body, (*constants, *carried, *xs))]
    if isinstance(primitive, While):
        first = primitive.cond_constants
        of_cond, of_body = flags[:first], flags[first : first + primitive.body_constants]
        carries = flags[first + primitive.body_constants :]
        carried = reached_carries(
            lambda carried: of_program(primitive.body, (*of_body, *carried)), carries
        )
        return [(primitive.cond, (*of_cond, *carried)), (primitive.body, (*of_body, *carried))]
    raise AssertionError(f"{primitive.name} is none of these")


def of_program(program: Program, given: Flags) -> Flags:
    """The results of a program that depend on the parameters which `given` marks."""
    return derived(program, ("dependent", given), lambda: _of_program(program, given)).results


@final
@frozen(eq=False)
class _Dependent:
    """What is kept of a program."""

    results: Flags
    captured: tuple[Operand, ...] = ()


def _of_program(program: Program, given: Flags) -> _Dependent:
    touched = {value for value, flag in zip(program.parameters, given, strict=True) if flag}
    for equation in program.equations:
        flags = [atom in touched for atom in equation.operands]
        if any(flags):
            touched.update(touched_results(equation, flags))
    return _Dependent(tuple([atom in touched for atom in program.results]))


def touched_results(equation: Equation, flags: Sequence[bool]) -> Sequence[Value]:
    """The results of an equation that depend on the operands which `flags` marks."""
    if not any(flags):
        return ()
    if not isinstance(equation.primitive, SPLIT):
        return equation.results
    with deeper():
        found = dependent(equation.primitive, flags)
    return [x for x, flag in zip(equation.results, found, strict=True) if flag]


def independent_results(
    primitive: Primitive,
    operands: Sequence[Operand | None],
    types: Sequence[Type],
    *,
    effects_too: bool = False,
) -> dict[int, Operand]:
    """The results of one of `SPLIT` that do not depend on the operands which are None, computed here, by place.

    There are none of operations with effects, which happen once; unless it is said that they are to happen here.
    """
    flags = dependent(primitive, [operand is None for operand in operands])
    result_types, effects = inferred(primitive, tuple(types))
    if all(flags) and not (effects and effects_too):
        return {}
    unknown = [type for type, x in zip(types, operands, strict=True) if x is None]
    if (effects and not effects_too) or not all([isinstance(type, ArrayType) for type in unknown]):
        return {}
    places = [i for i, flag in enumerate(flags) if not flag]
    parameters = tuple([Value(type) for type in types])
    results = tuple([Value(type) for type in result_types])
    equation = Equation(primitive, parameters, results, effects, NOWHERE)
    whole = Program(parameters, (equation,), tuple([results[i] for i in places]))
    # The derivatives of nested functions are looked at from the innermost to the outermost.
    program = dce(whole, kept=True)
    given = [zeros(type) if x is None else x for x, type in zip(operands, types, strict=True)]
    return dict(zip(places, interpret(program, *given), strict=True))
