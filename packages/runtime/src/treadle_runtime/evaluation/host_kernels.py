"""Kernels that the runtime prefers to those of the reference evaluator, on the host.

The reference evaluator needs NumPy alone, and says what each operation means. Where another library that is installed
anyway does the same in a fraction of the time, a kernel stands here. It serves some kinds of operands, which its maker
decides once, from types; whatever it cannot do with the numbers in them it leaves to the reference kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from treadle_ir import ArrayType, LinearAlgebra, Primitive, RuleTable
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.fourier import Fft

P = TypeVar("P", bound=Primitive)
_FAMILIES: Final[tuple[type[Primitive], ...]] = (LinearAlgebra, Fft, e.Digamma, *e.WITH_FORMULA)
# Any: a kernel takes as many arrays as its primitive has operands, and returns a sequence of arrays, or the one there
# is.
HostKernel: TypeAlias = Callable[..., Any]
HostKernelMaker: TypeAlias = Callable[[P, Sequence[ArrayType]], HostKernel | None]

host_kernels: Final[RuleTable[HostKernelMaker[Any]]] = RuleTable(
    "host kernel",
    "host_kernel_of",
    "evaluation",
    "treadle_runtime.evaluation.libraries",
)


def host_kernel_of(primitive: type[P]) -> Callable[[HostKernelMaker[P]], HostKernelMaker[P]]:
    """Register what makes the kernels of a primitive, from the primitive and its operands' types."""

    def register(maker: HostKernelMaker[P]) -> HostKernelMaker[P]:
        host_kernels.register(primitive, maker)
        return maker

    return register


def host_kernel(primitive: Primitive, operands: Sequence[ArrayType]) -> HostKernel | None:
    """The kernel for operands of these types, or None: that of the reference evaluator has to do."""
    if not isinstance(primitive, _FAMILIES):
        return None  # without a look at the table, whose modules are large
    maker = host_kernels.get(type(primitive))
    return None if maker is None else maker(primitive, operands)
