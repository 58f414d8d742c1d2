"""Shardings over explicit axes, which are part of types: meshes, specs, and the propagation rules of each family.

Where the current mesh has axes of type `Explicit`, `treadle_ir.core.typing` asks the rule of a primitive's family
(`rules`, `families/`) for the shardings of its results. Without such a mesh no rule is asked. The
shardings themselves are in `treadle_ir.core`, as parts of types. See decisions/0143-shardings-in-types.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.sharding.partial_rules import partial_operands as partial_operands
    from treadle_ir.sharding.rules import (
        nested_rule as nested_rule,
        nested_rules as nested_rules,
        sharded_results as sharded_results,
        sharding_rules as sharding_rules,
    )
    from treadle_ir.sharding.sharded_type import (
        ShardedType as ShardedType,
        is_replicated as is_replicated,
        sizes_text as sizes_text,
        type_text as type_text,
    )
    from treadle_ir.sharding.specialised import specialised_primitive as specialised_primitive
    from treadle_ir.sharding.staged import (
        result_shardings as result_shardings,
        sharding_of as sharding_of,
        shardings_here as shardings_here,
        type_here as type_here,
        types_here as types_here,
    )
    from treadle_ir.sharding.varying import (
        cast_to as cast_to,
        fitted_shard_map as fitted_shard_map,
        missing_axes as missing_axes,
        operand_axes as operand_axes,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.sharding.partial_rules": "partial_operands",
            "treadle_ir.sharding.rules": "nested_rule nested_rules sharded_results sharding_rules",
            "treadle_ir.sharding.sharded_type": "ShardedType is_replicated sizes_text type_text",
            "treadle_ir.sharding.specialised": "specialised_primitive",
            "treadle_ir.sharding.staged": (
                "result_shardings sharding_of shardings_here type_here types_here"
            ),
            "treadle_ir.sharding.varying": "cast_to fitted_shard_map missing_axes operand_axes",
        },
    )
