"""The exception classes and their one message shape.

Every error that a user can cause says three things, in this order: *what* happened (the first line, complete by
itself), *where* in the user's code, and *how* to fix it. Where and how are notes (PEP 678), so that a layer
with more context adds one `while:` note with `during` and re-raises; no layer wraps the error again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Final

from treadle_ir.errors.source import user_location

_MOST_BITS: Final = 256  # of an integer that messages print


_WEAK: Final = "  `*` marks a weak type: it came from a Python number, and yields to the types of other operands"


class TreadleError(Exception):
    """The base of all errors that treadle raises on purpose."""

    _shown_in: ClassVar[str | None] = (
        None  # the module that tracebacks name, for treadle's own classes
    )

    def __init_subclass__(cls) -> None:
        if TreadleError._shown_in is not None and cls.__module__.startswith("treadle_"):
            cls.__module__ = TreadleError._shown_in

    def __init__(self, what: str, *, fix: str | None = None, where: str | None = None) -> None:
        super().__init__(what)
        location = user_location() if where is None else where
        if location:
            self.add_note(f"  at {location}")
        if fix:
            self.add_note(f"  fix: {fix}")
        if "]*" in what:
            self.add_note(_WEAK)


def show_as(module: str) -> None:
    """Let tracebacks show treadle's error classes, also classes defined later, as members of the public `module`."""
    TreadleError._shown_in = module
    known: list[type[TreadleError]] = [TreadleError]
    for each in known:
        known += each.__subclasses__()
        if each.__module__.startswith("treadle_"):
            each.__module__ = module


class ShapeError(TreadleError, TypeError, ValueError):
    """Operands have incompatible shapes.

    NumPy raises ValueError, others a ValueError or a TypeError by function: code written for either catches it.
    """


class AxisError(ShapeError, IndexError):
    """An axis that the array does not have; also an IndexError, as NumPy's is."""


class DTypeError(TreadleError, TypeError, ValueError):
    """Operands have incompatible element types; both a TypeError and a ValueError, as `ShapeError` is."""


class UsageError(TreadleError, TypeError):
    """A value of the wrong kind for its use: a traced array instead of a number, a key that was used before."""


class ConcretizationError(UsageError):
    """A Python value of an array was requested, which it does not have while a function is being traced.

    `asked` is the tracer whose value was requested, if there is one; `arguments` are the positions of the arguments on
    which it depends, among the flat arguments of the innermost staged function through which the error has passed.
    """

    asked: object = None
    arguments: tuple[int, ...] = ()

    def __init__(
        self, what: str, *, fix: str | None = None, where: str | None = None, asked: object = None
    ) -> None:
        super().__init__(what, fix=fix, where=where)
        self.asked = asked


class TracerBoolConversionError(ConcretizationError):
    """`if`, `while`, `and`, `or`, `not` or `bool()` on a traced array."""


class TracerIntegerConversionError(ConcretizationError):
    """A traced array where Python needs an integer: a length, an index of a list, a shape."""


class TracerArrayConversionError(ConcretizationError):
    """A traced array was passed to NumPy, which needs its elements."""


class NonConcreteBooleanIndexError(ConcretizationError, IndexError):
    """A boolean mask as an index while tracing: the result's shape would depend on its elements."""


class SymbolicSizeError(ConcretizationError):
    """A question about a symbolic dimension whose answer depends on the value of the size."""


class EscapedTracerError(UsageError):
    """A tracer was used after the trace of its function had ended."""


class MissingRuleError(TreadleError, NotImplementedError):
    """A transformation has no rule for a primitive."""


class DerivativeError(TreadleError, TypeError, ValueError):
    """A derivative that does not exist in this mode, or not at all.

    Forward mode through a function that has a backward rule only, reverse mode through a loop of unknown length,
    either mode through a callback.
    """


class DerivativeMismatchError(TreadleError, AssertionError):
    """A derivative disagrees with the finite differences of its function."""


class CheckError(TreadleError, ValueError):
    """A check of `checkify` failed. Its subclasses are the four kinds of checks."""


class FailedCheckError(CheckError):
    """The condition of a `checkify.check` did not hold."""


class NaNError(CheckError, FloatingPointError):
    """An operation produced a NaN, with `checkify`'s NaN checks enabled."""


class DivisionByZeroError(CheckError, ZeroDivisionError):
    """A division by zero, with `checkify`'s division checks enabled."""


class OutOfBoundsError(CheckError, IndexError):
    """An index beyond the end of an axis, with `checkify`'s index checks enabled."""


class VerifyError(TreadleError, ValueError):
    """A program violates an invariant of programs."""


class ParseError(TreadleError, ValueError):
    """Text that is not a program, with line, column and caret."""

    line: int = 0  # both counted from 1; 0 if the error has no position in a text
    column: int = 0


class DonatedError(TreadleError, RuntimeError, ValueError):
    """An array was used after its buffer had been donated or deleted.

    A ValueError suits an array that is an operand, a RuntimeError other uses: code written for either catches it.
    """


class PlacementError(TreadleError, ValueError):
    """Arrays committed to different devices are used together, or a device does not exist."""


class NoMeshError(PlacementError, RuntimeError):
    """A partition spec is given without a mesh, and no mesh is in force."""


class ShardingError(TreadleError, ValueError):
    """A sharding does not fit the mesh or the array: the mesh lacks an axis, or shards would be unequal."""


class ShardingTypeError(ShardingError, TypeError):
    """Operands have incompatible shardings over explicit axes, or the sharding of the result is ambiguous."""


class ArgumentError(TreadleError, TypeError, ValueError):
    """An argument that the function cannot take, by its kind or by its value.

    Both a TypeError and a ValueError, as `ShapeError` is.
    """


class ZeroStepError(ArgumentError, ZeroDivisionError):
    """Steps of 0, which never reach the end; also a ZeroDivisionError, as NumPy's is."""


class UnsetRuleError(ArgumentError, AttributeError):
    """A function with a custom derivative was called before its rules were set."""


class UnsupportedError(ArgumentError, NotImplementedError):
    """An argument or a value that NumPy or a similar library supports and treadle does not."""


class IndexingError(ArgumentError, IndexError):
    """An index expression that does not fit the array."""


class AxisNameError(ArgumentError, NameError):
    """A collective over an axis that is not being mapped."""


class RangeError(TreadleError, OverflowError):
    """A number that does not fit into its element type."""


class TreeError(TreadleError, TypeError, ValueError):
    """A pytree that does not have the structure that an operation needs, or a class that cannot be a node."""


class StructureError(TreeError):
    """Two pytrees have different structures that must be equal."""


class KeyReuseError(UsageError):
    """A random key is used a second time, under `debug_key_reuse`."""


class LeakedTracerError(TreadleError):
    """A traced array is still referenced when its transformation has ended, under `check_tracer_leaks`."""


class TracingError(TreadleError, RuntimeError):
    """A function would have to be traced, under `no_tracing`."""


class ExecutionError(TreadleError, RuntimeError):
    """A program failed while it ran."""


class OutOfMemoryError(ExecutionError, MemoryError):
    """A program, or one operation, needed more memory than is available."""


def out_of_memory(error: Exception) -> OutOfMemoryError:
    """Return the error for NumPy's error about an array that does not fit into memory, with a fix."""
    said = str(error)
    return OutOfMemoryError(
        "out of memory" if said in ("", "std::bad_alloc") else f"out of memory: {said}",
        fix="use smaller arrays or batches, or delete arrays",
    )


@contextmanager
def allocating() -> Iterator[None]:
    """Turn NumPy's errors about allocating an array, within this context, into an error about memory.

    Raises:
        OutOfMemoryError: the array has more bytes than are available, or than can be counted.
    """
    try:
        yield
    except (MemoryError, ValueError, OverflowError) as error:
        if isinstance(error, TreadleError):
            raise
        raise out_of_memory(error) from None


def out_of_range(error: OverflowError, value: object = None, dtype: object = None) -> RangeError:
    """Return the error for a Python integer that does not fit, with a fix; it uses `value` and `dtype` if given."""
    said = str(error)
    if isinstance(value, int) and dtype is not None:  # for large integers NumPy's text has "C long"
        number = str(value) if value.bit_length() <= _MOST_BITS else f"of {value.bit_length()} bits"
        said = f"Python integer {number} out of bounds for {dtype}"
    elif "C long" in said:
        said = "a Python integer has more than 64 bits"
    return RangeError(
        said,
        fix="write it as a float, give a wider dtype, or turn 64-bit types on: "
        'treadle.config.update("treadle_enable_x64", True)',
    )


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return `; did you mean 'sin'?`, or an empty string if no known name resembles this one."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    close = get_close_matches(
        name if isinstance(name, str) else "",
        [each for each in known if isinstance(each, str)],
        n=1,
    )
    return f"; did you mean {close[0]!r}?" if close else ""


@contextmanager
def during(activity: str) -> Iterator[None]:
    """Add a `while:` note to a `TreadleError` that leaves this context."""
    try:
        yield
    except TreadleError as error:
        error.add_note(f"  while: {activity}")
        raise
