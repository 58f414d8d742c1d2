"""Analyses of programs before they run: operations, bytes moved, memory, communication between devices, reused keys.

`forward`, `backward` and `ForwardAnalysis` are the engine of analyses that follow values through calls, branches and
loops.

`program_roofline` combines the bounds of a program's time on a machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.analysis.cost import (
        Cost as Cost,
        equation_costs as equation_costs,
        program_cost as program_cost,
    )
    from treadle_ir.analysis.exchanges import (
        Distribution as Distribution,
        Exchange as Exchange,
        distributions as distributions,
        ring_bytes as ring_bytes,
    )
    from treadle_ir.analysis.key_reuse import (
        Cells as Cells,
        KeyUses as KeyUses,
        is_keys as is_keys,
        new_cells as new_cells,
    )
    from treadle_ir.analysis.links import Load as Load, link_loads as link_loads
    from treadle_ir.analysis.memory import (
        MemoryProfile as MemoryProfile,
        peak_memory as peak_memory,
    )
    from treadle_ir.analysis.roofline import (
        Pinned as Pinned,
        RooflineResult as RooflineResult,
        program_roofline as program_roofline,
    )
    from treadle_ir.analysis.tandem_repeats import (
        Repeat as Repeat,
        numbered_equations as numbered_equations,
        repeats as repeats,
    )
    from treadle_ir.analysis.verifier import verify as verify, verify_program as verify_program
    from treadle_ir.core.dataflow import (
        ForwardAnalysis as ForwardAnalysis,
        Solution as Solution,
        backward as backward,
        forward as forward,
        forward_steps as forward_steps,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.analysis.cost": "Cost equation_costs program_cost",
            "treadle_ir.analysis.exchanges": "Distribution Exchange distributions ring_bytes",
            "treadle_ir.analysis.key_reuse": "Cells KeyUses is_keys new_cells",
            "treadle_ir.analysis.links": "Load link_loads",
            "treadle_ir.analysis.memory": "MemoryProfile peak_memory",
            "treadle_ir.analysis.roofline": "Pinned RooflineResult program_roofline",
            "treadle_ir.analysis.tandem_repeats": "Repeat numbered_equations repeats",
            "treadle_ir.analysis.verifier": "verify verify_program",
            "treadle_ir.core.dataflow": "ForwardAnalysis Solution backward forward forward_steps",
        },
    )
