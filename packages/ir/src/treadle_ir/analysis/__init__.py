"""What is known of a program before it runs: operations, bytes moved, memory, exchanges of devices, keys used twice.

`program_roofline` has together what bounds a program's time on a machine.
"""

from __future__ import annotations

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
from treadle_ir.analysis.memory import MemoryProfile as MemoryProfile, peak_memory as peak_memory
from treadle_ir.analysis.roofline import (
    Pinned as Pinned,
    RooflineResult as RooflineResult,
    program_roofline as program_roofline,
)
