"""Lowering of functions whose user says how they are partitioned."""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.partitioning import PARTITIONED, CustomPart, part_mark
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import is_in_parts
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.process import deeper


@lowering_rule(CustomPartitioning)
def custom_partitioning_lowering(
    context: LoweringContext, primitive: CustomPartitioning, /, *operands: HloValue
) -> HloValues:
    """Over several devices a custom call, which XLA's partitioner asks about; else the function in place.

    In place, too, where a device has its part already (in shard_map), and where XLA's partitioner could not tell: a
    function without results, with effects, or of elements that have several parts.
    """
    module, program = context.module, primitive.program
    types = program.result_types
    asked = module.partitioning is not None and context.manual is None
    told = bool(types) and not program.effects
    if not asked or not told or any(map(is_in_parts, (*program.parameter_types, *types))):
        with deeper():
            return context.inline(program, *operands)
    assert module.partitioning is not None
    given = tuple([x.type for x in operands])
    rule = primitive.partitioner.rule(module.partitioning.mesh, given, types)
    number = module.add_custom_part(CustomPart(primitive.partitioner, given, types))
    attributes = {
        "call_target_name": f'"{PARTITIONED}"',
        "api_version": "2 : i32",
        "backend_config": f'"{part_mark(number)}"',
        "sdy.sharding_rule": rule,
    }
    return context.emit("stablehlo.custom_call", operands, types, attributes)
