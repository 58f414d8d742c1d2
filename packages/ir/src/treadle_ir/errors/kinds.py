"""The exception classes and their one message shape.

Every error a user can cause says three things, in this order: *what* happened (the first line, complete by
itself), *where* in the user's code, and *how* to fix it. Where and how are notes (PEP 678), so that a layer
that knows more adds one `while:` note with `during` and re-raises; nobody re-wraps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Final

from treadle_ir.errors.source import user_location

_MOST_BITS: Final = 256  # of an integer that messages show


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
    """Let tracebacks show treadle's error classes, also those defined later, where users find them: in this module."""
    TreadleError._shown_in = module
    known: list[type[TreadleError]] = [TreadleError]
    for each in known:
        known += each.__subclasses__()
        if each.__module__.startswith("treadle_"):
            each.__module__ = module


class ShapeError(TreadleError, TypeError, ValueError):
    """Operands have shapes that do not go together.

    Libraries raise one or the other: code written for either catches it.
    """


class AxisError(ShapeError, IndexError):
    """An axis that the array does not have; also an IndexError, as NumPy's is."""


class DTypeError(TreadleError, TypeError, ValueError):
    """Operands have element types that do not go together; both a TypeError and a ValueError, as `ShapeError` is."""


class UsageError(TreadleError, TypeError):
    """A value of another kind than its place needs: a traced array for a number, a key that was used."""


class ConcretizationError(UsageError):
    """A Python value was asked of an array that has none while a function is being traced.

    `asked` is the tracer that it was asked of, where there is one; `arguments` are the arguments that this depends on,
    by their positions among the flat ones of the innermost staged function that the error has left.
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
    """A traced array was handed to NumPy, which needs its elements."""


class NonConcreteBooleanIndexError(ConcretizationError, IndexError):
    """A boolean mask as an index while tracing: the result's shape would depend on its elements."""


class SymbolicSizeError(ConcretizationError):
    """A question about a symbolic dimension whose answer depends on what the size will be."""


class EscapedTracerError(UsageError):
    """A tracer was used after the function that it belongs to had been traced."""


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
    """A check failed that `checkify` knows of. The four classes of checks are its cases."""


class FailedCheckError(CheckError):
    """The condition of a `checkify.check` did not hold."""


class NaNError(CheckError, FloatingPointError):
    """An operation made a NaN, where `checkify` watches for them."""


class DivisionByZeroError(CheckError, ZeroDivisionError):
    """A division by zero, where `checkify` watches for them."""


class OutOfBoundsError(CheckError, IndexError):
    """An index beyond the end of an axis, where `checkify` watches for them."""


class VerifyError(TreadleError, ValueError):
    """A program breaks a promise that programs make."""


class ParseError(TreadleError, ValueError):
    """Text that is not a program, with line, column and caret."""

    line: int = 0  # both counted from 1; 0 when the error has no place in a text
    column: int = 0


class DonatedError(TreadleError, RuntimeError, ValueError):
    """An array was used after its buffer had been donated or deleted.

    Code catches ValueError where the array is an operand, and RuntimeError elsewhere: it is both.
    """


class PlacementError(TreadleError, ValueError):
    """Arrays committed to different devices met, or a device does not exist."""


class NoMeshError(PlacementError, RuntimeError):
    """A specification without a mesh that it could be over: none is in force."""


class ShardingError(TreadleError, ValueError):
    """A layout that does not fit the mesh or the array: a name the mesh lacks, parts that would not be equal."""


class ShardingTypeError(ShardingError, TypeError):
    """Operands that lie differently over explicit axes, or whose result could lie in several ways."""


class ArgumentError(TreadleError, TypeError, ValueError):
    """An argument that the function cannot take, by its kind or by its value.

    Both a TypeError and a ValueError, as `ShapeError` is.
    """


class ZeroStepError(ArgumentError, ZeroDivisionError):
    """Steps of 0, which never arrive; also a ZeroDivisionError, as NumPy's is."""


class UnsetRuleError(ArgumentError, AttributeError):
    """A function whose derivative is said to be its own was called before its rules were set."""


class UnsupportedError(ArgumentError, NotImplementedError):
    """An argument or a value that similar libraries take and treadle lacks."""


class IndexingError(ArgumentError, IndexError):
    """An index expression that does not fit the array."""


class AxisNameError(ArgumentError, NameError):
    """A collective over an axis that is not being mapped."""


class RangeError(TreadleError, OverflowError):
    """A number that does not fit into its element type."""


class TreeError(TreadleError, TypeError, ValueError):
    """A pytree that does not have the structure that an operation needs, or a class that cannot be a node."""


class StructureError(TreeError):
    """Two pytrees that must have the same structure have not."""


class KeyReuseError(UsageError):
    """A random key is used a second time, under `debug_key_reuse`."""


class LeakedTracerError(TreadleError):
    """A traced array is still there when its transformation has ended, under `check_tracer_leaks`."""


class TracingError(TreadleError, RuntimeError):
    """A function would have to be traced, under `no_tracing`."""


class ExecutionError(TreadleError, RuntimeError):
    """A program failed while it ran."""


class OutOfMemoryError(ExecutionError, MemoryError):
    """A program, or one operation, needed more memory than there is."""


def out_of_memory(error: Exception) -> OutOfMemoryError:
    """NumPy's error for an array that does not fit into memory, with what to do."""
    said = str(error)
    return OutOfMemoryError(
        "out of memory" if said in ("", "std::bad_alloc") else f"out of memory: {said}",
        fix="use smaller arrays or batches, or delete arrays",
    )


@contextmanager
def allocating() -> Iterator[None]:
    """Say that there is no memory where NumPy makes an array by itself.

    Raises:
        OutOfMemoryError: the array has more bytes than there are, or than can be counted.
    """
    try:
        yield
    except (MemoryError, ValueError, OverflowError) as error:
        if isinstance(error, TreadleError):
            raise
        raise out_of_memory(error) from None


def out_of_range(error: OverflowError, value: object = None, dtype: object = None) -> RangeError:
    """NumPy's error for a Python integer that does not fit, with what to do; in our words where both are given."""
    said = str(error)
    if isinstance(value, int) and dtype is not None:  # of large ones NumPy says "C long"
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
    """`; did you mean 'sin'?`, or an empty string when nothing known resembles the name."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    close = get_close_matches(
        name if isinstance(name, str) else "",
        [each for each in known if isinstance(each, str)],
        n=1,
    )
    return f"; did you mean {close[0]!r}?" if close else ""


@contextmanager
def during(activity: str) -> Iterator[None]:
    """Add a `while:` note to a `TreadleError` that passes through, and let it go on."""
    try:
        yield
    except TreadleError as error:
        error.add_note(f"  while: {activity}")
        raise
