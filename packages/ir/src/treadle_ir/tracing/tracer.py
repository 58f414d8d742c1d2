"""Tracers: objects that represent an array while a function is traced, and their conversions to Python values.

`bool(x)`, `int(x)`, `float(x)`, `x.item()` use `Tracer.concrete`: grad's tracers return the elements of their primal;
jit's and vmap's have none, and the user gets a `ConcretizationError` that explains what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from treadle_ir.core.dtypes import user_name
from treadle_ir.core.sharding import Sharding, replicated
from treadle_ir.core.types import ArrayType
from treadle_ir.errors.kinds import (
    ArgumentError,
    ConcretizationError,
    EscapedTracerError,
    ShapeError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
)
from treadle_ir.errors.source import NOWHERE, Source, is_internal, user_frame, user_location
from treadle_ir.errors.stored_names import stored_name
from treadle_ir.tracing.array import Array, Operand, no_first_axis
from treadle_ir.tracing.trace import Trace

if TYPE_CHECKING:
    from treadle_ir.core.mesh import AbstractMesh


_WRAPPED: Final = 8  # functions of treadle around a user's
_OWN_MODULES: Final[dict[type[Tracer], str]] = {}  # of classes that show a different module


class Tracer(Array):
    """Represents an array in one trace."""

    __slots__ = ("__weakref__", "owner")  # weak references: libraries keep caches by array
    owner: Trace  # not named `trace`, which is a method of arrays
    made_by: ClassVar[str] = "a transformation"  # for messages: "jit", "vmap", "grad"
    _shown_in: ClassVar[str | None] = None  # the module that treadle's own classes show

    def __init_subclass__(cls) -> None:
        if Tracer._shown_in is not None and cls.__module__.startswith("treadle"):
            _OWN_MODULES[cls] = cls.__module__
            cls.__module__ = Tracer._shown_in

    def __init__(self, trace: Trace, aval: Any) -> None:
        """Initialise a library's tracer. Any: `aval` is an array type, or has one as its `type`, as `x.aval` has."""
        self.owner = trace
        # a library's class has no slots
        self.type = aval if isinstance(aval, ArrayType) else aval.type  # type: ignore[misc]

    @property
    def source(self) -> Source:
        """The location in the user's code where the value was made, as far as it is known."""
        return NOWHERE

    def concrete(self) -> np.ndarray[Any, np.dtype[Any]] | None:
        """Return the elements of the value, if it has any: grad's tracers return the elements of their primal."""
        return None

    def behind(self) -> Operand | None:
        """Return the value in the enclosing trace, if there is one: the primal, or the batched array."""
        return None

    def __treadle_sharding__(self, mesh: AbstractMesh) -> Sharding | None:
        """Return the sharding of the value in the enclosing trace; None if the compiler decides."""
        behind = self.behind()
        if isinstance(behind, Array):
            return behind.__treadle_sharding__(mesh)
        return None if behind is None else replicated(len(getattr(behind, "shape", ())), mesh)

    def constant(self) -> Operand | None:
        """Return the operand that this tracer represents, if it adds nothing to it: an argument without a derivative.

        Such a tracer is transparent: wherever Python, another transformation or an evaluator cannot use a
        tracer, the operand replaces it, also after its trace has ended.
        """
        return None

    def original(self) -> object:
        """Return the value that the user passed, if the tracer is transparent (a number stays one), else the tracer."""
        return self

    def _elements(
        self, error: type[ConcretizationError], what: str, fix: str
    ) -> np.ndarray[Any, np.dtype[Any]]:
        elements = self.concrete()
        if elements is None:
            if self.owner.closed:
                raise escaped(self)
            made = self.source.show()
            raised = error(
                f"{what} of {described(self)}, which has no elements yet",
                fix=fix,
                asked=self,
            )
            if made and made != user_location():
                raised.add_note(f"  the array was made at {made}")
            raise raised
        return elements

    def __bool__(self) -> bool:
        elements = self._elements(
            TracerBoolConversionError,
            "the truth value (`if`, `while`, `and`, `not`, `bool()`) was asked",
            "use `where(condition, a, b)` or `lax.cond`, or mark the argument static (`static_argnums`)",
        )
        if elements.size != 1:
            raise ShapeError(
                f"The truth value of an array of type {self.type} is ambiguous: it has {elements.size} elements",
                fix="reduce the comparison with .any() or .all(), or choose by element with `where`",
            )
        return bool(elements)

    def __int__(self) -> int:
        return int(self._scalar("int()"))

    def __float__(self) -> float:
        return float(self._scalar("float()"))

    def __trunc__(self) -> int:
        return int(self._scalar("math.trunc()"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex()"))

    def __index__(self) -> int:
        elements = self._elements(
            TracerIntegerConversionError,
            "a Python integer was asked",
            "use array functions (`x[i]`, `lax.fori_loop`, `take`), or mark the argument static (`static_argnums`)",
        )
        if elements.ndim or elements.dtype.kind not in "iu":
            raise ArgumentError(
                f"only integer scalar arrays can be converted to a scalar index, got {self.type}",
                fix="convert with int(x) first",
            )
        return elements.__index__()

    def _number(self, function: str) -> np.ndarray[Any, np.dtype[Any]]:
        return self._elements(
            ConcretizationError,
            f"{function} was asked",
            "keep it an array (`x.astype(...)`), or mark the argument static (`static_argnums`)",
        )

    def _scalar(self, function: str) -> np.ndarray[Any, np.dtype[Any]]:
        elements = self._number(function)
        if elements.ndim:
            raise ArgumentError(
                f"{function}: only arrays without axes can be converted to Python scalars, got {self.type}",
                fix="take one element (`x[0]`), reduce (`x.sum()`), or use `x.tolist()`",
            )
        return elements

    def item(self, *index: int) -> bool | int | float | complex:
        """Return the one element as a Python scalar (or the element at `index`)."""
        value: bool | int | float | complex = self._number("item()").item(*index)
        return value

    def tolist(self) -> object:
        """Return the elements as nested lists."""
        return self._number("tolist()").tolist()

    def __array__(
        self, dtype: Any = None, copy: bool | None = None
    ) -> np.ndarray[Any, np.dtype[Any]]:
        original = self.original()
        if original is not self:
            return np.asarray(original, dtype)
        if self.owner.closed:
            raise escaped(self)
        raise TracerArrayConversionError(
            f"a NumPy function was called on {described(self)}, which has no elements for NumPy",
            fix="use the function of the same name in treadle.numpy; for host code use treadle.pure_callback",
            asked=self,
        )

    def __hash__(self) -> int:
        original = self.original()
        return hash(original) if original is not self else Array.__hash__(self)

    def __iter__(self) -> Iterator[Array]:
        if not self.type.shape:
            raise no_first_axis(self)
        return (self[i] for i in range(self.type.shape[0]))  # type: ignore[index]  # if it is installed

    def __repr__(self) -> str:
        shape = ",".join(map(str, self.type.shape))
        return f"Traced<ShapedArray({user_name(self.type.dtype)}[{shape}])>"

    def __str__(self) -> str:
        original = self.original()
        return str(original) if original is not self else repr(self)

    def __format__(self, spec: str) -> str:
        original = self.original()
        if original is not self:
            return format(original, spec)
        elements = self.concrete()
        if spec and elements is not None and not self.type.shape:
            return format(elements.item(), spec)
        if spec and elements is None and spec[-1] in "bcdeEfFgGnoxX%":
            self._elements(
                ConcretizationError,
                f"the number format {spec!r} was asked",
                "print values at run time with `treadle.debug.print`, or write `{x}` to print the type",
            )
        return format(repr(self), spec)

    def __copy__(self) -> Tracer:
        return self

    def __deepcopy__(self, memo: object) -> Tracer:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        original = self.original()
        if original is not self:
            return transparent, (original,)
        raise ArgumentError(
            "a traced array cannot be pickled: it lives only while its function is traced",
            fix="return it from the function and pickle the result",
        )


def transparent(value: object) -> object:
    """Return the value that a user passed for a transparent tracer; any other value unchanged."""
    return value.original() if isinstance(value, Tracer) else value


def escaped(tracer: Tracer) -> EscapedTracerError:
    """Return the error for a tracer that outlived its trace, or is used by a function that runs outside of it."""
    if tracer.owner.closed:
        error = EscapedTracerError(
            f"{described(tracer)} was used after the function it belongs to ({_owner(tracer)}) "
            "had been traced",
            fix="return the value from the function instead of storing it in a global, an attribute or a list",
        )
    else:
        error = EscapedTracerError(
            f"{described(tracer)} ({_owner(tracer)}) was captured by a function with a derivative "
            "rule or a callback, which covers its arguments only",
            fix="pass the value to that function as an argument instead of closing over it",
        )
    made = tracer.source.show()
    if made:
        error.add_note(f"  it was made at {made}")
    return error


def described(tracer: Tracer) -> str:
    """Return a tracer for messages: its type, or the name that the user gave it with the type, as `h: f32[4]`."""
    source = tracer.source
    here = user_frame()
    # A value that was made by the call that is running is an intermediate value, and has no name.
    if here is None or here.f_code is not source.code or here.f_lasti != source.offset:
        name = stored_name(source)
        if name:
            return f"a traced array `{name}: {tracer.type}`"
    return f"a traced array of type {tracer.type}"


def _owner(tracer: Tracer) -> str:
    """Return the user's function whose trace a tracer belongs to, if it is known, and the transformation."""
    function = getattr(tracer.owner, "function", None)
    for _ in range(_WRAPPED):
        code = getattr(function, "__code__", None)
        if code is not None and not is_internal(code.co_filename):
            return f"`{code.co_qualname}`, {tracer.made_by}"
        function = _inside(function)
    return tracer.made_by


def _inside(function: object) -> object:
    """Return the function that a function of treadle runs; None if it is unknown."""
    for attribute in ("__wrapped__", "function"):
        inner = getattr(function, attribute, None)
        if inner is not None:
            return inner
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    if "function" not in names:
        return None
    cells = getattr(function, "__closure__", None) or ()
    inner = cells[names.index("function")].cell_contents
    return inner if callable(inner) else None


def untraced(operand: Operand) -> Operand:
    """Return an operand for evaluation: for a transparent tracer, its constant.

    Raises:
        EscapedTracerError: the operand is another tracer, which cannot be evaluated.
    """
    if not isinstance(operand, Tracer):
        return operand
    constant = operand.constant()
    if constant is None or isinstance(constant, Tracer):
        raise escaped(operand)
    return constant


def concrete_elements(operand: object) -> np.ndarray[Any, np.dtype[Any]] | None:
    """Return the elements of an operand, if it has any."""
    if isinstance(operand, Tracer):
        return operand.concrete()
    return np.asarray(operand)


def show_tracers_as(module: str | None) -> None:
    """Make `module` the `__module__` of treadle's tracer classes, also of later ones; None: their own modules.

    Libraries that support several kinds of arrays choose their functions by it.
    """
    Tracer._shown_in = module
    known: list[type[Tracer]] = [Tracer]
    for each in known:
        known += each.__subclasses__()
        own = _OWN_MODULES.pop(each, each.__module__)
        if module is None:
            each.__module__ = own
        elif own.startswith("treadle"):
            _OWN_MODULES[each] = own
            each.__module__ = module
