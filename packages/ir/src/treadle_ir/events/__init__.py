"""Events that a process emits as it stages, lowers, compiles and runs programs, and the log of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.events.kinds import (
        ArgumentRefused as ArgumentRefused,
        ArrayCommitted as ArrayCommitted,
        CallbackRun as CallbackRun,
        DonationRefused as DonationRefused,
        ElementsTransferred as ElementsTransferred,
        Event as Event,
        ExecutableFound as ExecutableFound,
        FunctionStaged as FunctionStaged,
        KeyReused as KeyReused,
        MemoryDonated as MemoryDonated,
        PlacementRefused as PlacementRefused,
        ProgramCompiled as ProgramCompiled,
        ProgramLowered as ProgramLowered,
        ProgramMade as ProgramMade,
        Request as Request,
        StagingBegan as StagingBegan,
        StagingFailed as StagingFailed,
        TracerLeaked as TracerLeaked,
        TransferredOperand as TransferredOperand,
        emit as emit,
        heard as heard,
        listeners as listeners,
        listening as listening,
        tell as tell,
    )
    from treadle_ir.events.logs import logger as logger, say as say, wanted as wanted

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.events.kinds": (
                "ArgumentRefused ArrayCommitted CallbackRun DonationRefused ElementsTransferred "
                "Event ExecutableFound FunctionStaged KeyReused MemoryDonated PlacementRefused "
                "ProgramCompiled ProgramLowered ProgramMade Request StagingBegan StagingFailed "
                "TracerLeaked TransferredOperand emit heard listeners listening tell"
            ),
            "treadle_ir.events.logs": "logger say wanted",
        },
    )
