"""The Evaluator port: how a primitive runs when nothing transforms it, and what an array is then.

treadle_ir installs its NumPy reference evaluator; the facade installs the runtime's in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from treadle_ir.core.primitive import Primitive

if TYPE_CHECKING:
    from treadle_ir.tracing.array import Array, Operands


T = TypeVar("T")


class Evaluator(Protocol):
    """Port: how a primitive runs when nothing transforms it, and what an array is then."""

    def evaluate(self, primitive: Primitive, operands: Operands) -> Operands:
        """The results of a primitive on concrete operands.

        Raises:
            EscapedTracerError: an operand is a tracer (`treadle_ir.tracing.tracer.untraced` makes the message).
        """
        ...

    def call(
        self,
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        loops: bool = False,
        /,
    ) -> T:
        """What a composed function returns (`calling.composed`): `function(*args, **kwargs)`, perhaps as a whole.

        `loops` says that it has a loop (`composed`).
        """
        ...

    def array(
        self,
        elements: np.ndarray[Any, np.dtype[Any]],
        weak: bool,
        *,
        owned: bool = True,
        users: bool = False,
    ) -> Array:
        """An array of these elements, whose type is kept.

        Without `owned`, somebody may write to them later. `users` are those that a user gave, narrowed perhaps.
        """
        ...

    def adopted(self, x: object, kind: int, number: int) -> Array | None:
        """An array of what another library has in an accelerator's memory, without a copy; None if that is unknown.

        `x` has `__dlpack__`; `kind` and `number` are its `__dlpack_device__`, not the CPU's.
        """
        ...
