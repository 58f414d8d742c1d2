"""Calls: a nested program as one operation, and functions with derivative rules of their own.

`call` represents a jitted function in an outer program; `checkpoint` is a call whose values are recomputed
for the derivative. `custom_jvp_call` and `custom_vjp_call` have two forms: the `FunctionCall` holds
Python functions and runs them; programs contain its staged form, whose derivative stays a Python function
until the program is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Final, TypeAlias, final

from treadle_ir.core.families import FunctionCall, InlineCall, Sources
from treadle_ir.core.flows import Flags
from treadle_ir.core.primitive import Attributeless, Primitive, check_word
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DerivativeError, EscapedTracerError
from treadle_ir.primitives.elementwise import Unary
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Function, Operand, Operands
from treadle_ir.tracing.staging import stage
from treadle_ir.tracing.trace import bind

# Its truth value decides whether the results of a primitive are stored.
CheckpointPolicy: TypeAlias = Callable[[Primitive], object]
# Tangents or cotangents; None for a known zero.
Given: TypeAlias = Sequence[Operand | None]
# From primals and tangents to results and their tangents.
FlatJvp: TypeAlias = Callable[[Operands, Given], tuple[Operands, Given]]
# From residuals and cotangents of results to cotangents of primals.
FlatBackward: TypeAlias = Callable[[Operands, Given], Given]
# From primals, and whether each has a tangent, to results, residuals and the backward function.
FlatForward: TypeAlias = Callable[[Operands, Flags], tuple[Operands, Operands, FlatBackward]]
_INLININGS: Final = ("", "lowering", "xla_early", "xla_late")


@register
@final
@frozen
class Call(InlineCall):
    """A jitted function inside another program: compiled once, as a separate function.

    Constraints:
        (C1) `inlining` says what inlines the call: lowering ("lowering"), XLA before or after its other passes
            ("xla_early", "xla_late"), or whichever of the two sees fit ("")

    Raises:
        ArgumentError: C1.
    """

    name: ClassVar[str] = "call"
    program: Program
    label: str = ""
    inlining: str = ""

    def __post_init__(self) -> None:
        check_word(self.name, "inlining", self.inlining, _INLININGS)  # C1

    def rebuilt(self, program: Program, sources: Sources) -> Call:
        """Return a call of another program with the same label and inlining."""
        return Call(program, self.label, self.inlining)


class LabelledCall(InlineCall):
    """Family: calls whose label and rules belong to their program, so a transformed program is in a plain call."""

    __slots__ = ()
    label: str

    def rebuilt(self, program: Program, sources: Sources) -> InlineCall:
        """Return a plain call of another program."""
        return Call(program, self.label)


@register
@final
@frozen
class Checkpoint(InlineCall):
    """A part of a program whose intermediate values are not stored for the derivative but recomputed.

    `policy` decides by primitive which results are stored nevertheless; None stores nothing. Differentiation makes two
    calls of one: the forward call `stores` its operands, and the call in the backward pass `recomputes` from them. If
    one program contains both, barriers prevent their common subexpression elimination unless `prevent_cse` is off.
    """

    name: ClassVar[str] = "checkpoint"
    program: Program
    policy: CheckpointPolicy | None = None
    stores: bool = False
    recomputes: bool = False
    prevent_cse: bool = True

    def is_deferred(self) -> bool:
        """Return whether there is a policy, which is called when the program is differentiated."""
        return self.policy is not None

    def rebuilt(self, program: Program, sources: Sources) -> Checkpoint:
        """Return a call of another program with the same attributes."""
        return replace(self, program=program)


@register
@final
class OptimizationBarrier(Attributeless):
    """The operands, unchanged; no optimisation moves a computation across it."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "optimization_barrier"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operands' types."""
        return operands


@register
@final
class StopGradient(Attributeless, Unary):
    """The operand, as a constant for differentiation."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "stop_gradient"
    kinds: ClassVar[str] = "biufck"


@register
@final
@frozen
class CheckpointName(Unary):
    """The operand, under a name that checkpoint policies can refer to."""

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "checkpoint_name"
    kinds: ClassVar[str] = "biufck"
    label: str


@final
@frozen(eq=False)
class CustomJvpCall(FunctionCall):
    """A function of flat operands with its own jvp: `jvp(primals, tangents) -> (results, tangents)`, all flat.

    A tangent that is known to be zero is None.

    `pure` means that the jvp reads no state that may change: on equal operands it always does the same.
    """

    name: ClassVar[str] = "custom_jvp_function"
    label: str
    function: Function
    jvp: FlatJvp
    pure: bool = False

    def call(self, operands: Operands) -> Operands:
        """Run the function."""
        return self.function(*operands)

    def staged(self, types: tuple[Type, ...]) -> tuple[Primitive, tuple[Operand, ...]]:
        """Return the function as a program, with its jvp for later."""
        staged = stage(self.function, *types)
        count = len(staged.captured)
        return CustomJvpStaged(
            staged.program, self.label, DeferredJvp(self.jvp, count, self.pure)
        ), staged.captured


@final
@frozen(eq=False)
class DeferredJvp:
    """The jvp of a staged `custom_jvp`: a Python function, staged when a program is differentiated.

    The first `captured` operands are the values that the function captured; they are constants for its jvp.
    """

    jvp: FlatJvp
    captured: int
    pure: bool = False

    def __call__(self, primals: Operands, tangents: Given) -> tuple[Operands, Given]:
        """Return results and tangents; `primals` includes the captured operands, `tangents` does not."""
        try:
            return self.jvp(primals[self.captured :], tangents)
        except EscapedTracerError as error:
            error.add_note(
                "  while: running the jvp rule of a custom_jvp function after it was staged; the rule may not "
                "close over traced arrays: pass them as arguments"
            )
            raise


@register
@final
@frozen
class CustomJvpStaged(LabelledCall):
    """A staged `custom_jvp` function. Its derivative is opaque: compared by identity, not parsed back."""

    name: ClassVar[str] = "custom_jvp_call"
    program: Program
    label: str
    derivative: DeferredJvp

    def is_deferred(self) -> bool:
        """Return whether the rule may behave differently the next time: unless it is pure."""
        return not self.derivative.pure


@final
@frozen(eq=False)
class CustomVjpRule:
    """The functions of a custom_vjp, on flat operands.

    `forward(primals, perturbed) -> (results, residuals, backward)`, where `perturbed` flags the primals that have
    tangents; `backward(residuals, cotangents) -> cotangents of primals`. A cotangent known to be zero is None.
    The first `captured` operands of a staged call are constants for both. `pure` means that the functions read no
    state that may change.
    """

    forward: FlatForward
    captured: int = 0
    pure: bool = False


@final
@frozen(eq=False)
class CustomVjpCall(FunctionCall):
    """A function of flat operands with its own vjp."""

    name: ClassVar[str] = "custom_vjp_function"
    label: str
    function: Function
    rule: CustomVjpRule

    def call(self, operands: Operands) -> Operands:
        """Run the function."""
        return self.function(*operands)

    def staged(self, types: tuple[Type, ...]) -> tuple[Primitive, tuple[Operand, ...]]:
        """Return the function as a program, with its vjp for later."""
        staged = stage(self.function, *types)
        rule = replace(self.rule, captured=len(staged.captured))
        return CustomVjpStaged(staged.program, self.label, rule), staged.captured


@register
@final
@frozen
class CustomVjpStaged(LabelledCall):
    """A staged `custom_vjp` function. Its derivative is opaque: compared by identity, not parsed back."""

    name: ClassVar[str] = "custom_vjp_call"
    program: Program
    label: str
    rule: CustomVjpRule

    def is_deferred(self) -> bool:
        """Return whether the rule may behave differently the next time: unless it is pure."""
        return not self.rule.pure


@register
@final
@frozen
class CustomVjpLinear(Primitive):
    """The derivative of a `custom_vjp` call: linear in its tangents, and defined only by its transpose.

    Operands are the residuals, then one tangent per primal; results are the tangents of the call's results. `types`
    have the manual axes over which these vary, as the results of the call do.
    """

    takes_keys: ClassVar[bool] = True  # among the residuals
    name: ClassVar[str] = "custom_vjp_linear"
    opaque: ClassVar[bool] = True
    label: str
    backward: FlatBackward
    residuals: int
    types: tuple[ArrayType, ...]

    def is_deferred(self) -> bool:
        """Return True: the backward function runs when this is transposed."""
        return True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types of the tangents of the results."""
        return self.types


BACKWARD_ONLY: Final = (
    "a custom_vjp function has a backward rule only: its tangents are known by transposition"
)
"""Why the primitives of custom_vjp lack rules that other primitives have."""


def captured_error(label: str) -> DerivativeError:
    """Return the error for a derivative with respect to captured values of a function with its own derivative rule."""
    return DerivativeError(
        f"`{label}` has a derivative rule of its own, which covers its arguments only, but is differentiated by a "
        "traced array that it closes over",
        fix="pass the array as an argument, or close over `lax.stop_gradient` of it",
    )


def forward_mode_error() -> DerivativeError:
    """Return the error for any way of computing the tangents of a custom_vjp function."""
    return DerivativeError(
        "custom_vjp: the function has a backward rule only, so forward mode (jvp, jacfwd, linearize) cannot "
        "differentiate it",
        fix="use reverse mode (grad, vjp, jacrev), or give the function its derivative with custom_jvp, "
        "which serves both modes",
    )


_BARRIER: Final = OptimizationBarrier()
_STOP: Final = StopGradient()


def optimization_barrier(*operands: Operand) -> Sequence[Array]:
    """Return the operands unchanged; no optimisation moves a computation across this operation."""
    return bind(_BARRIER, *operands)


def stop_gradient(x: Operand) -> Array:
    """Return the operand, as a constant for differentiation."""
    return bind(_STOP, x)[0]


def checkpoint_name(x: Operand, *, label: str) -> Array:
    """Return the operand, under a name that checkpoint policies can refer to."""
    return bind(CheckpointName(label), x)[0]
