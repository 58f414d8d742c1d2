"""Types of a library's own: what a value of one is made of, and how it is shown while functions are traced.

A value of such a type is an opaque value of trees (`treadle_ir.tree.opaque`). Its children are the arrays that the type
lowers it to, and where its tangents are of another kind, one array of zeros for each array of a tangent: the place
that a tangent has in programs, which know only arrays. See decisions/0087-types-of-libraries.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias, final

import numpy as np

from treadle.core import AbstractValue, type_of_aval
from treadle.interpreters.zeros import Zero
from treadle_ir import Array, ArrayType, MissingRuleError, UnsupportedError
from treadle_ir.calling import as_array
from treadle_ir.core import dtypes
from treadle_ir.errors import functions, refused
from treadle_ir.process import frozen
from treadle_ir.tracing import Tracer
from treadle_ir.tree import Dims, Form, MappingSpec, opened_by, register_opaque
from treadle_runtime import ShapeDtypeStruct

HiVal: TypeAlias = Any  # Any: a value of a class of a library's own

_PROBE: Final = 1_000_003  # a size that no array has: it shows where a new axis goes
_MOST_SPECS: Final = 16
_NOTHING: Final = object()
_specs: Final[dict[type, dict[MappingSpec, None]]] = {}


def missing(type: object, method: str, what: str) -> MissingRuleError:
    """Return the error for a type that lacks a method."""
    name = type.__class__.__name__
    return MissingRuleError(
        f"{name} has no `{method}`, which {what} asks for", fix=f"define `{name}.{method}`"
    )


class HiType(AbstractValue):
    """A type of a library's own: derive from it, and register the class of its values with `register_hitype`.

    `lo_ty`, `lower_val` and `raise_val` say which arrays a value is made of. Further methods are asked for by
    transformations: `to_tangent_aval` by derivatives, `dec_rank` and `inc_rank` by `vmap`, `leading_axis_spec` by
    `scan`. Types are compared and hashed: frozen dataclasses serve well.

    Example:
        >>> from dataclasses import dataclass
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.hijax import HiPrim, HiType, ShapedArray, register_hitype
        >>> @dataclass(frozen=True)
        ... class Fraction:
        ...     above: treadle.Array
        ...     below: treadle.Array
        >>> @dataclass(frozen=True)
        ... class FractionType(HiType):
        ...     def lo_ty(self):
        ...         return [ShapedArray((), tnp.int32), ShapedArray((), tnp.int32)]
        ...     def lower_val(self, x):
        ...         return [x.above, x.below]
        ...     def raise_val(self, above, below):
        ...         return Fraction(above, below)
        >>> register_hitype(Fraction, lambda x: FractionType())
        >>> class Inverse(HiPrim):
        ...     def __init__(self):
        ...         self.in_avals, self.out_aval, self.params = (FractionType(),), FractionType(), {}
        ...         super().__init__()
        ...     def expand(self, x):
        ...         return Fraction(x.below, x.above)
        >>> half = Fraction(tnp.asarray(1), tnp.asarray(2))
        >>> print(treadle.jit(lambda x: Inverse()(x))(half).above)
        2
    """

    is_high: bool = True
    has_qdd: bool = False

    def lo_ty(self) -> list[Any]:  # Any: `ShapedArray`s
        """Return the types of the arrays that a value is made of."""
        raise missing(self, "lo_ty", "every transformation")

    def lower_val(self, hi_val: HiVal) -> list[Any]:
        """Return the arrays of a value."""
        raise missing(self, "lower_val", "every transformation")

    def raise_val(self, *lo_vals: Any) -> HiVal:
        """Return the value of these arrays."""
        raise missing(self, "raise_val", "every transformation")

    def to_tangent_aval(self) -> AbstractValue:
        """Return the type of tangents of such a value."""
        raise missing(self, "to_tangent_aval", "differentiation")

    def to_ct_aval(self) -> AbstractValue:
        """Return the type of cotangents: by default the type of tangents."""
        return self.to_tangent_aval()

    def vspace_zero(self) -> HiVal:
        """Zero, in a type of tangents."""
        return self.raise_val(*[as_array(_zeros(each)) for each in lo_types(self)])

    def vspace_add(self, x: HiVal, y: HiVal) -> HiVal:
        """Return the sum of two values of a type of tangents."""
        raise missing(self, "vspace_add", "the sum of two tangents")

    def dec_rank(self, size: int | None, spec: MappingSpec) -> AbstractValue:
        """Return the type of one of `size` batch elements."""
        raise missing(self, "dec_rank", "vmap or scan")

    def inc_rank(self, size: int | None, spec: MappingSpec) -> AbstractValue:
        """Return the type of `size` batch elements together."""
        raise missing(self, "inc_rank", "vmap or scan")

    def leading_axis_spec(self) -> MappingSpec:
        """Return how `scan` maps over such a value."""
        raise missing(self, "leading_axis_spec", "scan")

    def shard(self, mesh: Any, manual_axes: Any, check_vma: bool, spec: HiPspec) -> AbstractValue:
        """Return the type of one device's part of such a value."""
        raise missing(self, "shard", "shard_map")

    def unshard(self, mesh: Any, check_vma: bool, spec: HiPspec) -> AbstractValue:
        """Return the type of all devices' parts together."""
        raise missing(self, "unshard", "shard_map")

    def str_short(self, short_dtypes: bool = False, mesh_axis_types: bool = False) -> str:
        """Return the name of the class, as a short description."""
        return type(self).__name__


class HiPspec:
    """The sharding of values of a user-defined type over a mesh. `shard_map` does not accept it yet."""

    def to_lo(self) -> tuple[Any, ...]:  # Any: `PartitionSpec`s
        """Return a `PartitionSpec` for each array of `lo_ty`."""
        raise missing(self, "to_lo", "shard_map")

    def to_tangent_spec(self) -> HiPspec:
        """Return the spec of tangents."""
        raise missing(self, "to_tangent_spec", "the derivative of shard_map")

    def to_ct_spec(self) -> HiPspec:
        """Return the spec of cotangents."""
        return self.to_tangent_spec()


class aval_property:  # noqa: N801 - JAX's name
    """A property that traced values of a type have: a function of the value, written in the type's class.

    Example:
        >>> from treadle.experimental.hijax import HiType, aval_property
        >>> class Named(HiType):
        ...     kind = aval_property(lambda x: "named")
        >>> Named.kind.fget(None)
        'named'
    """

    def __init__(self, fget: Callable[[Any], Any]) -> None:
        functions("aval_property", fget=fget)
        self.fget = fget


class aval_method:  # noqa: N801 - JAX's name
    """A method that traced values of a type have: a function of the value and the arguments.

    Example:
        >>> from treadle.experimental.hijax import HiType, aval_method
        >>> class Doubling(HiType):
        ...     doubled = aval_method(lambda x, times: 2 * times)
        >>> Doubling.doubled.fun(None, 3)
        6
    """

    def __init__(self, fun: Callable[..., Any]) -> None:
        functions("aval_method", fun=fun)
        self.fun = fun


class Parts(NamedTuple):
    """Of which arrays a value of a type is made in programs."""

    lo: tuple[ArrayType, ...]
    # where its tangents go; none where the arrays themselves have them
    slots: tuple[ArrayType, ...]
    own: bool  # whether they do

    @property
    def types(self) -> tuple[ArrayType, ...]:
        """Of all of them."""
        return (*self.lo, *self.slots)

    @property
    def fixed(self) -> int:
        """How many of them, the first ones, have no tangents."""
        return 0 if self.own else len(self.lo)


def lo_types(aval: AbstractValue) -> tuple[ArrayType, ...]:
    """Return the types of the arrays that a value of a type is made of."""
    if not isinstance(aval, HiType):
        return (_array_type(aval),)
    return tuple([each for lo in aval.lo_ty() for each in lo_types(lo)])


def _array_type(aval: AbstractValue) -> ArrayType:
    type = type_of_aval(aval)
    if not isinstance(type, ArrayType):
        raise refused("HiType.lo_ty", "each type", "a ShapedArray", aval)
    return type


def parts_of(aval: HiType) -> Parts:
    """Return the arrays of which a value of the type consists in programs."""
    lo = lo_types(aval)
    if type(aval).to_tangent_aval is HiType.to_tangent_aval:
        return Parts(lo, (), False)
    slots = lo_types(aval.to_tangent_aval())
    if [each.strong() for each in slots] == [each.tangent().strong() for each in lo]:
        return Parts(lo, (), True)
    return Parts(lo, tuple([t for t in slots if not dtypes.is_float0(t.dtype)]), False)


def _zeros(type: ArrayType) -> Any:  # Any: NumPy's array
    return np.broadcast_to(np.zeros((), type.dtype), type.shape)


@final
@frozen
class HiForm(Form):
    """What a value is besides its arrays: its type."""

    aval: HiType

    @property
    def fixed(self) -> int:
        """How many arrays have no tangents."""
        return parts_of(self.aval).fixed

    def build(self, children: Sequence[Any]) -> HiVal:
        """Return the value; a traced value where an array is traced, or where children are placeholders of arrays."""
        if all(isinstance(x, (Array, np.ndarray)) and not isinstance(x, Tracer) for x in children):
            aval = fitted(self.aval, children)
            return aval.raise_val(*map(as_array, children[: len(lo_types(aval))]))
        return HiTracer(self.aval, children)

    def tangent(self, children: Sequence[Any]) -> HiVal:
        """Return the tangent, given the tangents of all arrays."""
        aval = fitted(self.aval, children)
        parts = parts_of(aval)
        return built(aval.to_tangent_aval(), children if parts.own else children[len(parts.lo) :])

    def tangents(self, tangent: HiVal) -> list[Any]:
        """Return the tangents of all arrays, given the tangent of the value; all None for None."""
        parts = parts_of(self.aval)
        if tangent is None:
            return [None] * len(parts.types)
        if parts.own:
            return lowered(self.aval.to_tangent_aval(), tangent)
        fixed = [_zeros(each.tangent()) for each in parts.lo]
        return fixed + (lowered(self.aval.to_tangent_aval(), tangent) if parts.slots else [])

    def mapped(self, spec: MappingSpec, size: int) -> Dims:
        """Return where the arrays have the axis that `spec` maps over."""
        element = self.aval.dec_rank(size, spec)
        if not isinstance(element, HiType):
            raise refused("dec_rank", "the result", "a HiType", element)
        return axes_of(element, spec)

    def stacked(self, spec: MappingSpec, size: int) -> Dims:
        """Return where the arrays get an axis by `spec`."""
        return axes_of(self.aval, spec)


def axes_of(element: HiType, spec: MappingSpec) -> Dims:
    """Return where the arrays of a value get a new axis, by what `inc_rank` says of types."""
    known = _specs.setdefault(type(element), {})
    if spec not in known:
        if len(known) >= _MOST_SPECS:
            del known[next(iter(known))]
        known[spec] = None
    stacked = element.inc_rank(_PROBE, spec)
    if not isinstance(stacked, HiType):
        raise refused("inc_rank", "the result", "a HiType", stacked)
    return tuple(
        [
            each.shape.index(_PROBE) if _PROBE in each.shape else None
            for each in parts_of(stacked).types
        ]
    )


def specs_of(aval: HiType) -> Iterator[MappingSpec]:
    """Yield the specs to map over a value of a type: the spec of `scan` first, then the specs that were used."""
    if type(aval).leading_axis_spec is not HiType.leading_axis_spec:
        yield aval.leading_axis_spec()
    yield from tuple(_specs.get(type(aval), ()))


def fitted(aval: HiType, children: Sequence[Any]) -> HiType:
    """Return the type of a value of these arrays, which may have an axis more or less: loops and `vmap` see to arrays
    only.
    """
    given = [tuple(child.shape) for child in children]
    wanted = [each.shape for each in parts_of(aval).types]
    if given == wanted:
        return aval
    more = sum(map(len, given)) > sum(map(len, wanted))
    change = aval.inc_rank if more else aval.dec_rank
    sizes = {size for shape in (given if more else wanted) for size in shape}
    for spec in specs_of(aval):
        for size in sizes:
            try:
                found = change(size, spec)
                if isinstance(found, HiType) and given == [t.shape for t in parts_of(found).types]:
                    return found
            except Exception:  # a library's method, asked about a size that it does not have
                continue
    raise UnsupportedError(
        f"a value of type {aval} came out with arrays of shapes {given}, of which no type is known",
        fix=f"define `{type(aval).__name__}.leading_axis_spec`, or pass `vmap` a MappingSpec; `shard_map` cannot cut "
        "such values: pass it arrays, and make values inside",
    )


def lowered(aval: AbstractValue, value: HiVal) -> list[Any]:
    """Return the arrays of a value of a type, without places for tangents."""
    if not isinstance(aval, HiType):
        return [as_array(value.instantiate() if isinstance(value, Zero) else value)]
    if isinstance(value, HiTracer):
        return [*value.children[: len(lo_types(aval))]]
    if isinstance(value, Zero):
        value = aval.vspace_zero()
    return [*aval.lower_val(value)]


def built(aval: AbstractValue, lo: Sequence[Any]) -> HiVal:
    """Return the value of these arrays, without places for tangents."""
    if not isinstance(aval, HiType):
        return lo[0]
    return HiForm(aval).build([*lo, *map(_zeros, parts_of(aval).slots)])


def opened(aval: HiType, value: HiVal) -> list[Any]:
    """Return the arrays of a value in programs."""
    if isinstance(value, HiTracer):
        return [*value.children]
    return [*aval.lower_val(value), *map(_zeros, parts_of(aval).slots)]


class HiTracer:
    """A value of a type of a library's own while a function is traced: operations of the library take it."""

    __slots__ = ("_aval", "children")
    __treadle_traced__ = True  # an instance of `treadle.core.Tracer`, though it is not an array

    def __init__(self, aval: HiType, children: Sequence[Any]) -> None:
        self._aval = aval
        self.children = tuple(children)

    @property
    def aval(self) -> HiType:
        """Its type."""
        if all(isinstance(child, (Array, np.ndarray, ShapeDtypeStruct)) for child in self.children):
            self._aval = fitted(self._aval, self.children)
        return self._aval

    def __getattr__(self, name: str) -> Any:  # Any: what the type's class says
        found = getattr(self._aval, name, _NOTHING)
        if isinstance(found, aval_property):
            return found.fget(self)
        if isinstance(found, aval_method):
            return partial(found.fun, self)
        if found is not _NOTHING:
            return found
        raise AttributeError(
            f"a traced value of type {self._aval} has no attribute {name!r}; "
            "within traced functions operations of its library read it"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._aval})"


def _operator(name: str) -> Callable[..., Any]:
    def apply(self: HiTracer, *others: Any) -> Any:
        found = getattr(self.aval, name, None)
        if found is None:
            raise AttributeError(f"'{type(self.aval).__name__}' object has no attribute '{name}'")
        return found(self, *others)

    return apply


_BINARY = [
    "add",
    "sub",
    "mul",
    "matmul",
    "truediv",
    "floordiv",
    "mod",
    "divmod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
]
_OTHERS = "neg pos abs invert eq ne lt le gt ge getitem setitem len iter contains"
for _name in (*_BINARY, *[f"r{each}" for each in _BINARY], *_OTHERS.split()):
    setattr(HiTracer, f"__{_name}__", _operator(f"_{_name}"))

register_opaque(HiTracer, lambda value: (value.children, HiForm(value.aval)))


def hitype_of(value: object) -> HiType | None:
    """Return the type of a value, if it is one of a library's own."""
    form = opened_by(value)
    return form.aval if isinstance(form, HiForm) else None
