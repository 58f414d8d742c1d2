"""Remove custom rules: a program computes the same, without the Python functions that define its transformations.

A staged `custom_jvp`, `custom_vjp`, `custom_vmap` or `custom_partitioning` holds Python functions, and so does a
checkpoint with a policy. Such functions have no text. Without them the program computes the same values, and can be
written down; its derivative is then the derivative of its operations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.primitives.call import Call, Checkpoint, CustomJvpStaged, CustomVjpStaged
from treadle_ir.primitives.custom_vmap import CustomVmapStaged
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.rewrite.nested import map_programs

_RULES: Final = (CustomJvpStaged, CustomVjpStaged, CustomVmapStaged, CustomPartitioning)


def plain(program: Program) -> Program:
    """Return the program with each call that has custom rules as a call without them, also in nested programs.

    Example:
        >>> from treadle_ir import ArrayType, ops, stage
        >>> from treadle_ir.core import dtypes
        >>> program = stage(lambda x: [ops.sine(x)], ArrayType((3,), dtypes.BY_NAME["f32"])).program
        >>> plain(program) is program
        True
    """
    return map_programs(program, _plain)


def _plain(program: Program) -> Program:
    changed = False
    equations: list[Equation] = []
    for each in program.equations:
        primitive = _without_rule(each.primitive)
        if primitive is not each.primitive:
            changed = True
            each = Equation(primitive, each.operands, each.results, each.effects, each.source)
        equations.append(each)
    if not changed:
        return program
    return Program(program.parameters, tuple(equations), program.results)


def _without_rule(primitive: Primitive) -> Primitive:
    if isinstance(primitive, _RULES):
        return Call(primitive.program, primitive.label)
    if isinstance(primitive, Checkpoint) and primitive.policy is not None:
        return replace(primitive, policy=None)
    return primitive
