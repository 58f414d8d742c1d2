"""Lowering of host callbacks to XLA's custom call into Python.

Ordered callbacks pass a token along, which is all that keeps XLA from exchanging them: the last one is kept in
`context.token`. Functions with ordered effects take a token and return one
(`Walk.call`), so that there is one chain; a loop's body has a chain of its own.
"""

from __future__ import annotations

from typing import Final

from treadle_compiler.callback import LoweredCallback
from treadle_compiler.context import LoweringContext
from treadle_compiler.partitioning import sharding_text
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import is_in_parts
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import TOKEN, MissingRuleError
from treadle_ir.core import DimShardings
from treadle_ir.primitives.effectful import HostCall, PureCallback

_TARGETS: Final = {
    "cpu": "xla_ffi_python_cpu_callback",
    "cuda": "xla_ffi_python_gpu_callback",
    "rocm": "xla_ffi_python_gpu_callback",
}


@lowering_rule(HostCall)
def host_call_lowering(
    context: LoweringContext, primitive: HostCall, *operands: HloValue
) -> HloValues:
    """A custom call that calls back."""
    target = callback_target(context.platform, primitive.name)
    ordered = any(effect.ordered for effect in primitive.effects())
    index = context.callback(LoweredCallback(primitive.callback, ordered))
    attributes = {
        "call_target_name": f'"{target}"',
        "api_version": "4 : i32",
        "backend_config": f"{{index = {index} : ui64}}",
        "has_side_effect": "false" if isinstance(primitive, PureCallback) else "true",
    }
    types = primitive.callback.results
    # Within shard_map each device calls back, with its own part.
    several = context.module.partitioning is not None and context.manual is None
    if several:
        attributes["sdy.sharding"] = context.module.on_first_device(max(1, len(types) + ordered))
        operands = tuple([_whole(context, x) for x in operands])
    if not ordered:
        results = context.emit("stablehlo.custom_call", operands, types, attributes)
    else:
        given = (context.token_before(), *operands)
        context.token, *results = context.emit(
            "stablehlo.custom_call", given, (TOKEN, *types), attributes
        )
    return [_whole(context, x) for x in results] if several else results


def callback_target(platform: str, name: str) -> str:
    """The target by which programs on a platform call Python.

    Raises:
        MissingRuleError: the platform has none.
    """
    target = _TARGETS.get(platform)
    if target is None:
        raise MissingRuleError(
            f"{name}: XLA has no Python callbacks on platform {platform}",
            fix="take the callback out of the compiled function, or run it on the CPU",
        )
    return target


def _whole(context: LoweringContext, x: HloValue) -> HloValue:
    """Return a value replicated on all devices, as before and after a callback, which takes place on one."""
    dims: DimShardings = ((),) * (len(x.shape) + is_in_parts(x.type))
    return context.one(
        "sdy.sharding_constraint", [x], x.type, {"sharding": sharding_text("@mesh", dims)}
    )
