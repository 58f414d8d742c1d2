"""The port of how programs are shown to users under JAX's names: `jit(f).trace(x).jaxpr` is what `make_jaxpr` returns.

The views are treadle's, above the packages that trace. Where none is installed, a program is shown as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from treadle_ir.core.program import Program
from treadle_ir.tracing.array import Operand

# How the other parameters and the results lie over explicit axes of a mesh. Any: shardings, or None.
Lies: TypeAlias = tuple[Sequence[Any], Sequence[Any]]
# From a program and what its first parameters stand for. Any: whatever users are shown.
View: TypeAlias = Callable[[Program, Sequence[Operand], Lies | None], Any]

_installed: Final[list[View]] = []  # at most one


def install_view(view: View | None) -> None:
    """Make a function show programs to users in this process; None: they are shown as they are."""
    _installed[:] = [view] if view is not None else []


def shown_program(program: Program, captured: Sequence[Operand], lies: Lies | None = None) -> Any:
    """What users see of a program whose first parameters stand for captured arrays."""
    return _installed[0](program, captured, lies) if _installed else program
