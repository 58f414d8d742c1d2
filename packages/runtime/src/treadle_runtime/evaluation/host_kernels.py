"""Host kernels: kernels that the runtime uses instead of the reference kernels.

The reference evaluator needs NumPy alone, and defines the semantics of each operation. If another library that is
installed anyway does the same in a fraction of the time, a host kernel calls it. A host kernel supports some operand
types, which its maker checks once; for element values that it cannot handle, it falls back to the reference kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from treadle_ir import ArrayType, LinearAlgebra, Primitive, RuleTable
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.fourier import Fft

P = TypeVar("P", bound=Primitive)
_FAMILIES: Final[tuple[type[Primitive], ...]] = (LinearAlgebra, Fft, e.Digamma, *e.WITH_FORMULA)
# Any: a kernel takes as many arrays as its primitive has operands, and returns a sequence of arrays, or a single array.
HostKernel: TypeAlias = Callable[..., Any]
HostKernelMaker: TypeAlias = Callable[[P, Sequence[ArrayType]], HostKernel | None]

host_kernels: Final[RuleTable[HostKernelMaker[Any]]] = RuleTable(
    "host kernel",
    "host_kernel_of",
    "evaluation",
    "treadle_runtime.evaluation.libraries",
)


def host_kernel_of(primitive: type[P]) -> Callable[[HostKernelMaker[P]], HostKernelMaker[P]]:
    """Register the maker of a primitive's kernels, a function of the primitive and the types of its operands."""

    def register(maker: HostKernelMaker[P]) -> HostKernelMaker[P]:
        host_kernels.register(primitive, maker)
        return maker

    return register


def host_kernel(primitive: Primitive, operands: Sequence[ArrayType]) -> HostKernel | None:
    """Return the host kernel for operands of these types; None if the reference kernel has to be used."""
    if not isinstance(primitive, _FAMILIES):
        return None  # without a look-up in the table, whose modules are large
    maker = host_kernels.get(type(primitive))
    return None if maker is None else maker(primitive, operands)
