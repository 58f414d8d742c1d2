"""Host functions that a module calls back."""

from __future__ import annotations

from typing import Any, final

from treadle_ir import ArrayType
from treadle_ir.primitives.effectful import HostFunction
from treadle_ir.process import frozen


@final
@frozen
class LoweredCallback:
    """A host function of a module. If it is ordered, XLA hands it a token first, and gets one back first.

    A callback that works `in_place` gets buffers, the results' last, and returns nothing.
    """

    callback: HostFunction
    ordered: bool
    in_place: bool = False

    @property
    def __name__(self) -> str:
        """The name of the user's function, as messages show it."""
        function = self.callback.function
        return getattr(function, "__name__", type(function).__name__)

    @property
    def results(self) -> tuple[ArrayType, ...]:
        """The types of what the function returns."""
        return self.callback.results

    def __call__(self, *operands: Any) -> Any:  # as the user's function has it
        """Call the function on arrays."""
        return self.callback.function(*operands)
