"""Host kernels: kernels that the runtime uses instead of the reference kernels.

The reference evaluator needs NumPy alone, and defines the semantics of each operation. If another library that is
installed anyway does the same in a fraction of the time, a host kernel calls it. A host kernel supports some operand
types, which its maker checks once; for element values that it cannot handle, it falls back to the reference kernel.

One table has the kernels of primitives and of fused functions: in the program of a plan, a call of a composed
function with a host function is an operation too (`ComposedCall`), also within other fused functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeAlias, TypeVar, final

from treadle_ir import ArrayType, Primitive, Program, RuleTable, Type
from treadle_ir.calling import host_functions
from treadle_ir.core import LinearAlgebra
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.fourier import Fft
from treadle_runtime.arrays.array import Elements


@final
class ComposedCall(Primitive):
    """A call of a fused function, in the program of a plan.

    Passes do not look into it: the plan either runs the host function of `function`, or replaces the call by one of
    `program`. Calls of one function for the same types are equal.
    """

    __slots__ = ("_key", "captured", "function", "otherwise", "program")
    name: ClassVar[str] = "composed_call"
    may_alias: ClassVar[bool] = False

    def __init__(
        self,
        function: Callable[..., Any],
        program: Program,
        captured: int,
        otherwise: Callable[..., Sequence[Elements]] | None = None,
    ) -> None:
        """Describe a call.

        Args:
            function: the function, without its decorator.
            program: the operations of the function.
            captured: how many leading operands are arrays that the function captured.
            otherwise: runs the program, where the host function returns None.
        """
        self.function = function
        self.program = program
        self.captured = captured
        self.otherwise = otherwise
        self._key = (function, captured, program.parameter_types, program.result_types)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposedCall) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types of the program's results."""
        return self.program.result_types


P = TypeVar("P", bound=Primitive)
_FAMILIES: Final[tuple[type[Primitive], ...]] = (
    *(ComposedCall, LinearAlgebra, Fft, e.Digamma),
    *e.WITH_FORMULA,
)
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


@host_kernel_of(ComposedCall)
def composed_call(primitive: ComposedCall, operands: Sequence[ArrayType]) -> HostKernel | None:
    """Return the host function of a fused function, for the operands that follow the captured arrays."""
    captured, otherwise = primitive.captured, primitive.otherwise
    host = host_functions[primitive.function](operands[captured:])
    if host is None or otherwise is None:
        return None

    # Any: a sequence of results, or the only result.
    def run(*arrays: Elements) -> Any:
        found = host(*arrays[captured:])
        return otherwise(*arrays) if found is None else found

    def run_single(*arrays: Elements) -> Elements:
        found = host(*arrays[captured:])
        return (otherwise(*arrays) if found is None else found)[0]

    return run_single if len(primitive.program.results) == 1 else run


def host_kernel(primitive: Primitive, operands: Sequence[ArrayType]) -> HostKernel | None:
    """Return the host kernel for operands of these types; None if the reference kernel has to be used."""
    if not isinstance(primitive, _FAMILIES):
        return None  # without a look-up in the table, whose modules are large
    maker = host_kernels.get(type(primitive))
    return None if maker is None else maker(primitive, operands)
