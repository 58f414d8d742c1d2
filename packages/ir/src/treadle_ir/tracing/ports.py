"""The ports: what this package needs from the packages above it, and the one function that installs implementations.

`treadle_ir` installs its NumPy reference evaluator and exact operators; `treadle_numpy` installs NumPy's operators and
methods; the facade, or another program that assembles the packages, installs the rest.

`install` puts each implementation where it is read: the evaluator in the trace at the bottom of every stack, the
operators on `Array`, what is known of another library in the room of errors. So an operation costs the same as if the
implementation had always been there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar, final

import numpy as np

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.errors.kinds import MissingRuleError
from treadle_ir.errors.other_libraries import OtherLibrary, install_library
from treadle_ir.errors.tracebacks import boundary
from treadle_ir.tracing import trace
from treadle_ir.tracing.array import Array, Operand, Operands

T = TypeVar("T")


class Evaluator(Protocol):
    """Port: how a primitive runs when nothing transforms it, and what an array is then."""

    def evaluate(self, primitive: Primitive, operands: Operands) -> Operands:
        """Return the results of a primitive on concrete operands.

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
        """Return `function(*args, **kwargs)` of a composed function (`calling.composed`), perhaps run as one.

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
        """Return an array of these elements, whose type is unchanged.

        Without `owned`, somebody may write to them later. `users` says that a user gave them, narrowed perhaps.
        """
        ...

    def adopted(self, x: object, kind: int, number: int) -> Array | None:
        """Return an array of another library's elements on an accelerator, without a copy; None if that is unknown.

        `x` has `__dlpack__`; `kind` and `number` are its `__dlpack_device__`, not the CPU's.
        """
        ...


OperatorTable: TypeAlias = Mapping[str, object]
"""Port: what `x + y`, `x[i]`, `x.sum()` mean: functions and properties by attribute name (`__add__`, `sum`, `T`)."""


class VmapPort(Protocol):
    """Port: `vmap(fun, in_axes, out_axes, axis_name, axis_size)`, for packages that do not depend on batching."""

    def __call__(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Return a function mapped over axes of its arguments. Any: functions of trees, and trees of axes."""
        ...


class ShardingPort(Protocol):
    """Port: arrays over several devices, for packages that do not depend on the runtime.

    Any: trees of arrays, and trees of the runtime's shardings.
    """

    def with_sharding_constraint(self, x: Any, shardings: Any) -> Any:
        """Return a tree with these shardings; over explicit axes of a mesh they are checked only."""
        ...

    def reshard(self, xs: Any, out_shardings: Any) -> Any:
        """Return a tree with these shardings, also over explicit axes."""
        ...


Shardings: TypeAlias = tuple[Sequence[Any], Sequence[Any]]
"""Shardings over explicit axes of a mesh, of parameters that are not captured, and of results. Any: those, or None."""


class ProgramViewPort(Protocol):
    """Port: how programs are shown to users."""

    def __call__(
        self, program: Program, captured: Sequence[Operand], shardings: Shardings | None
    ) -> Any:
        """Return a view of a program whose first parameters stand for captured arrays. Any: whatever users see."""
        ...


@final
class InstalledPorts:
    """The implementations that functions below look up; None for a port that has none."""

    __slots__ = ("program_view", "sharding", "vmap")

    def __init__(self) -> None:
        self.vmap: VmapPort | None = None
        self.sharding: ShardingPort | None = None
        self.program_view: ProgramViewPort | None = None


installed: Final = InstalledPorts()


def install(
    *,
    evaluator: Evaluator | None = None,
    operators: OperatorTable | None = None,
    vmap: VmapPort | None = None,
    sharding: ShardingPort | None = None,
    program_view: ProgramViewPort | None = None,
    other_library: OtherLibrary | None = None,
) -> None:
    """Install implementations of ports for this process.

    Args:
        evaluator: runs operations that nothing transforms, and makes their arrays.
        operators: attributes of `Array`, by name; names that are not in the table keep what they mean.
        vmap: maps functions over axes.
        sharding: shards arrays over devices; a module with the two functions will do.
        program_view: shows programs; without one they are shown as they are.
        other_library: knows the values of another array library, and what to do about them.
    """
    if evaluator is not None:
        trace.ROOT.evaluator = evaluator
    for name, member in (operators or {}).items():
        setattr(Array, name, boundary(member))
    if other_library is not None:
        install_library(other_library)
    installed.vmap = vmap or installed.vmap
    installed.sharding = sharding or installed.sharding
    installed.program_view = program_view or installed.program_view


def installed_vmap(who: str) -> VmapPort:
    """Return the `vmap` of this process; `who` needs it, for the message if there is none.

    Raises:
        MissingRuleError: none is installed.
    """
    if installed.vmap is None:
        raise MissingRuleError(
            f"{who} needs vmap, and none is installed",
            fix="`import treadle`, or `treadle_ir.tracing.install(vmap=treadle_batching.vmap)`",
        )
    return installed.vmap


def installed_sharding(who: str) -> ShardingPort:
    """Return what shards arrays in this process; `who` needs it, for the message if there is none.

    Raises:
        MissingRuleError: none is installed.
    """
    if installed.sharding is None:
        raise MissingRuleError(
            f"{who} needs devices, and no runtime is installed",
            fix="`import treadle`, or `treadle_ir.tracing.install(sharding=treadle_runtime)`",
        )
    return installed.sharding


def shown_program(
    program: Program, captured: Sequence[Operand], shardings: Shardings | None = None
) -> Any:
    """Return what users see of a program whose first parameters stand for captured arrays."""
    view = installed.program_view
    return program if view is None else view(program, captured, shardings)
