"""Calls: how arguments become operands and results become trees, composed functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.calling.composition import (
        HostFunction as HostFunction,
        HostFunctionMaker as HostFunctionMaker,
        composed as composed,
        host_functions as host_functions,
    )
    from treadle_ir.calling.operands import (
        as_array as as_array,
        as_operand as as_operand,
        canonical_elements as canonical_elements,
        fix_for as fix_for,
        new_array as new_array,
        operand_or_none as operand_or_none,
        type_like as type_like,
        weak_literal as weak_literal,
    )
    from treadle_ir.calling.tree_function import (
        TreeFunction as TreeFunction,
        array_results as array_results,
        flatten_arrays as flatten_arrays,
        no_array as no_array,
        refuse_others as refuse_others,
        results_and_aux as results_and_aux,
    )
    from treadle_ir.calling.user_rules import as_rule as as_rule, ruled as ruled

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.calling.composition": (
                "HostFunction HostFunctionMaker composed host_functions"
            ),
            "treadle_ir.calling.operands": (
                "as_array as_operand canonical_elements fix_for new_array operand_or_none "
                "type_like weak_literal"
            ),
            "treadle_ir.calling.tree_function": (
                "TreeFunction array_results flatten_arrays no_array refuse_others results_and_aux"
            ),
            "treadle_ir.calling.user_rules": "as_rule ruled",
        },
    )
