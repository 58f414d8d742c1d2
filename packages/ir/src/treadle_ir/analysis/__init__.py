"""What a program costs before it runs: operations, bytes moved, memory."""

from __future__ import annotations

from treadle_ir.analysis.cost import (
    Cost as Cost,
    equation_costs as equation_costs,
    program_cost as program_cost,
)
from treadle_ir.analysis.memory import MemoryProfile as MemoryProfile, peak_memory as peak_memory
