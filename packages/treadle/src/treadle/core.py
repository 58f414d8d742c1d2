"""JAX's names for types, tracers and programs: `Tracer`, `ShapedArray`, `x.aval`, `eval_jaxpr`."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final, Protocol, TypeAlias, final

import numpy as np

from treadle.traces import Trace as Trace
from treadle_ir import (
    AbstractMesh,
    ArgumentError,
    Array,
    ArrayType,
    Atom as Atom,
    PartitionSpec,
    Program,
    ShapeError,
    Type,
)
from treadle_ir.calling import as_array
from treadle_ir.core import (
    ClosedDimShardings,
    MeshAxes,
    TokenType,
    Typed,
    canonical_dtype,
    dtypes,
    explicit_part,
    layout_of,
    partial_sums_of,
)
from treadle_ir.errors import boundaries, element_type, flags, integer, integers, refused, sequence
from treadle_ir.process import frozen
from treadle_ir.sharding import sizes_text
from treadle_ir.tracing import (
    ROOT,
    EvalTrace,
    Tracer as _ArrayTracer,
    current_trace,
    ensure_compile_time_eval as ensure_compile_time_eval,
    interpret_unchecked as interpret,
    running,
)
from treadle_runtime import NamedSharding, explicit_sharding, get_abstract_mesh

NO_AXES: Final = AbstractMesh((), ())
"""The mesh of arrays on one device, or of arrays that the compiler shards."""

ParamDict: TypeAlias = dict[str, Any]  # Any: attributes of operations, which are of all kinds


class _Traced(ABCMeta):
    """What makes `Tracer` the class of all that is traced, also of what is not an array."""

    def __instancecheck__(cls, x: object) -> bool:
        kind = type(x)
        return cls in kind.__mro__ or (
            cls is Tracer and (_ArrayTracer in kind.__mro__ or hasattr(kind, "__treadle_traced__"))
        )

    def __subclasscheck__(cls, kind: type) -> bool:
        return cls in kind.__mro__ or (cls is Tracer and _ArrayTracer in kind.__mro__)


class Tracer(_ArrayTracer, metaclass=_Traced):
    """What stands for a value while a function is traced; libraries derive their own from it.

    Its instances are all tracers of arrays, and what stands for values of types of libraries' own. A library's class
    calls `super().__init__(trace, aval)`, or sets `_trace` and has `aval` as a property.
    """

    __slots__ = ("_aval",)
    _aval: Any  # Any: an array type, or what has one as its `type`

    def __init__(self, trace: Any, aval: Any) -> None:  # Any: a trace of a library's own; as above
        self.owner, self._aval = trace, aval

    @property
    def _trace(self) -> Any:
        return self.owner

    @_trace.setter
    def _trace(self, trace: Any) -> None:
        self.owner = trace

    @property
    def type(self) -> ArrayType:  # type: ignore[override]  # of treadle's own tracers it is an attribute
        """What is known of the array."""
        known = getattr(self, "_aval", None)
        if known is None and type(self).aval is _ArrayTracer.aval:
            raise AttributeError(
                f"{type(self).__name__} has no aval: call `super().__init__(trace, aval)`, or define `aval`"
            )
        known = self.aval if known is None else known
        found: ArrayType = known if isinstance(known, ArrayType) else known.type
        return found


class AbstractValue:
    """What is known of a value before it is computed."""

    def str_short(self, short_dtypes: bool = False, mesh_axis_types: bool = False) -> str:
        """Return the name of the class, as a short description."""
        return type(self).__name__

    def normalize(self) -> AbstractValue:
        """Return the same without what does not tell values apart: itself, by default."""
        return self


@final
@frozen
class ManualAxisType:
    """Over which axes of the shard_maps around a value differs between devices, or is a partial sum.

    Args:
        varying: the axes over which it differs.
        unreduced: those over which it is a sum that is not added up yet. Values of programs have none.
        reduced: those over which its cotangent is such a sum. Values of programs have none.

    Raises:
        ArgumentError: one of them is not a set, or an axis is varying and one of the others. (Also a ValueError.)

    Example:
        >>> from treadle.sharding import ManualAxisType
        >>> ManualAxisType(varying={"x"}).varying, ManualAxisType().empty
        (frozenset({'x'}), True)
    """

    varying: frozenset[Hashable] = frozenset()
    unreduced: frozenset[Hashable] = frozenset()
    reduced: frozenset[Hashable] = frozenset()

    def __post_init__(self) -> None:
        for name in ("varying", "unreduced", "reduced"):
            axes = getattr(self, name)
            if not isinstance(axes, set | frozenset):
                raise refused("ManualAxisType", name, "a set of names of axes", axes)
            object.__setattr__(self, name, frozenset(axes))
        for name in ("unreduced", "reduced"):
            if both := self.varying & getattr(self, name):
                raise ArgumentError(
                    f"ManualAxisType: the axes {sorted(map(str, both))} are varying and {name}",
                    fix="name each axis in one of the two",
                )

    @property
    def empty(self) -> bool:
        """Whether no axis is named."""
        return not self.vur

    @property
    def vur(self) -> frozenset[Hashable]:
        """The axes that are named at all."""
        return self.varying | self.unreduced | self.reduced

    def update(self, **changes: Any) -> ManualAxisType:  # Any: sets of names
        """Return a copy with other axes."""
        return replace(self, **changes)


@final
class AbstractToken(AbstractValue):
    """What is known of what orders effects: nothing."""


class ShapedArray(Typed, AbstractValue):
    """What is known of an array before it is computed: shape and element type. An array's `aval`."""

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: object,
        weak_type: bool = False,
        *,
        sharding: object = None,
        vma: Iterable[Hashable] = frozenset(),
    ) -> None:
        """Describe arrays; the mesh of `sharding` may have devices or none.

        Raises:
            ArgumentError: the shape is not a sequence of sizes, `dtype` no element type, or `vma` is not a set of
                names.
            ShapeError: a size is negative.
        """
        flags("ShapedArray", weak_type=weak_type)
        if isinstance(vma, str) or not isinstance(vma, Iterable):
            raise refused("ShapedArray", "vma", "a set of names of axes", vma)
        sizes = integers("ShapedArray", "shape", shape)
        if any([type(size) is int and size < 0 for size in sizes]):
            raise ShapeError(f"ShapedArray: the shape {sizes} has a negative size")
        self._vma = frozenset(vma)
        self.type = ArrayType(sizes, element_type("ShapedArray", dtype), bool(weak_type))
        self._layout: ClosedDimShardings | None = None
        self._sharding = sharding
        mesh, spec = getattr(sharding, "mesh", None), getattr(sharding, "spec", None)
        if isinstance(mesh, MeshAxes) and isinstance(spec, PartitionSpec):
            shown = explicit_part(layout_of(spec, len(self.shape)), mesh.abstract_mesh)
            self._layout = None if shown.is_replicated else shown.dims

    @classmethod
    def of(cls, type: ArrayType) -> ShapedArray:
        """Return the abstract value of arrays of `type`, without their sharding."""
        made = ShapedArray.__new__(ShapedArray)
        made.type, made._layout, made._sharding = type.plain, None, None
        made._vma = type.varying
        return made

    @property
    def vma(self) -> frozenset[Hashable]:
        """The axes of the shard_maps around over which it differs between devices; of `typeof(x)` only."""
        return self._vma

    @property
    def mat(self) -> ManualAxisType:
        """The same under JAX's newer name."""
        return ManualAxisType(varying=self._vma)

    manual_axis_type = mat

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShapedArray)
            and type(self) is type(other)
            and self.type is other.type
            and self._layout == other._layout
            and self._vma == other._vma
        )

    def __hash__(self) -> int:
        return hash((self.type, self._vma))

    def update(
        self,
        shape: tuple[int, ...] | None = None,
        dtype: object = None,
        weak_type: bool | None = None,
        **changes: Any,  # Any: of each as `__init__` takes it
    ) -> ShapedArray:
        """Return a copy with a new shape, dtype, weak_type or vma; JAX's other fields are ignored."""
        return ShapedArray(
            self.shape if shape is None else shape,
            self.dtype if dtype is None else dtype,
            self.weak_type if weak_type is None else weak_type,
            sharding=changes.get("sharding", self._sharding if shape is None else None),
            vma=changes.get("vma", self._vma),
        )

    def update_weak_type(self, weak_type: bool) -> ShapedArray:
        """Return a copy with the weak mark or without."""
        return self.update(weak_type=weak_type)

    def normalize(self) -> ShapedArray:
        """Return the type without the weak mark."""
        return self.strip_weak_type()

    def strip_weak_type(self) -> ShapedArray:
        """Return the type without the weak mark."""
        return self.update(weak_type=False)

    def to_tangent_aval(self) -> ShapedArray:
        """Return the abstract value of a tangent of such an array, which has the same sharding."""
        made = ShapedArray.of(self.type.tangent())
        made._layout, made._sharding, made._vma = self._layout, self._sharding, self._vma
        return made

    at_least_vspace = to_ct_aval = to_tangent_aval

    # What types of a library's own have (`treadle.experimental.hijax`), so that they can be made of arrays and of
    # such types alike.

    def lo_ty(self) -> list[ShapedArray]:
        """Return the types of the arrays that such a value is made of: itself."""
        return [self]

    def lower_val(self, val: Array) -> list[Array]:
        """Return the arrays that a value is made of: itself."""
        return [val]

    def raise_val(self, val: Array) -> Array:
        """Return the value of these arrays."""
        return val

    def dec_rank(self, size: int | None, spec: int | None) -> ShapedArray:
        """Return the abstract value of one of `size` batch elements, along the axis `spec`."""
        if spec is None:
            return self
        axis = spec % self.ndim
        return self.update(shape=self.shape[:axis] + self.shape[axis + 1 :])

    def inc_rank(self, size: int | None, spec: int | None) -> ShapedArray:
        """Return the abstract value of `size` batch elements together, along the axis `spec`."""
        if spec is None:
            return self
        axis = spec % (self.ndim + 1)
        return self.update(
            shape=(*self.shape[:axis], integer("inc_rank", "size", size), *self.shape[axis:])
        )

    def leading_axis_spec(self) -> int:
        """Return the axis that `scan` maps over."""
        return 0

    @property
    def sharding(self) -> object:
        """The sharding over explicit axes of a mesh; the mesh has no axes where no sharding is given."""
        if self._sharding is None:
            return NamedSharding(NO_AXES, PartitionSpec(*[None] * self.ndim))
        return self._sharding

    def str_short(self, short_dtypes: bool = False, mesh_axis_types: bool = False) -> str:
        """`float32[2,3]`; `float32[2@x,3]` where an explicit axis divides it; `{V:i}` behind where it varies."""
        text = f"{dtypes.user_name(self.dtype)}[{sizes_text(self.shape, self._layout)}]{partial_sums_of(self._layout)}"
        return f"{text}{{V:{','.join(sorted(map(str, self._vma)))}}}" if self._vma else text

    def __str__(self) -> str:
        return f"{'~' if self.weak_type else ''}{self.str_short()}"

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"{type(self).__name__}({self.str_short()}{weak})"


def aval_of(type: Type) -> AbstractValue:
    """Return the abstract value, in JAX's terms, of a type."""
    if isinstance(type, ArrayType):
        return ShapedArray.of(type)
    return AbstractToken()


def shown_aval(type: Type, sharding: NamedSharding | None) -> AbstractValue:
    """Return the abstract value of a type with a sharding over explicit axes of a mesh."""
    if sharding is None or not isinstance(type, ArrayType):
        return aval_of(type)
    shown = NamedSharding(sharding.mesh.abstract_mesh, sharding.spec)
    return ShapedArray(type.shape, type.dtype, type.weak, sharding=shown)


def layout_of_aval(aval: object, type: ArrayType) -> ClosedDimShardings:
    """Return the sharding over explicit axes that an `aval` gives to arrays of a type."""
    said = aval._layout if isinstance(aval, ShapedArray) else None
    return ((),) * type.ndim if said is None else said


def type_of_aval(aval: object) -> Type:
    """Return the type that is meant by an `aval`, or by anything that has a shape and a dtype.

    Raises:
        ArgumentError: it has none.
    """
    if isinstance(aval, ShapedArray):
        return aval.type
    if isinstance(aval, AbstractToken):
        return TokenType()
    shape, dtype = getattr(aval, "shape", None), getattr(aval, "dtype", None)
    if shape is None or dtype is None:
        raise refused("abstract evaluation", "the result", "a ShapedArray, or several", aval)
    return ArrayType(tuple(shape), canonical_dtype(dtype), bool(getattr(aval, "weak_type", False)))


@final
class ConcreteArray(ShapedArray):
    """The `aval` of a concrete tracer: it knows the elements, as `.val`."""

    def __init__(self, val: np.ndarray[Any, np.dtype[Any]], weak_type: bool = False) -> None:
        if not isinstance(val, np.ndarray | np.generic):
            raise refused("ConcreteArray", "val", "an array of NumPy's", val)
        super().__init__(val.shape, val.dtype, weak_type)
        self.val = val


def aval(x: Array) -> ShapedArray:
    """Return the abstract value of an array: with its elements when it is a concrete tracer.

    Raises:
        ArgumentError: it is not an array.
    """
    if not isinstance(x, Array):
        raise refused("aval", "x", "an array", x)
    if isinstance(x, _ArrayTracer):
        elements = x.concrete()
        if elements is not None:
            return ConcreteArray(elements, x.type.weak)
    return known_of(x, x.type)


def known_of(x: object, type: ArrayType) -> ShapedArray:
    """Return the abstract value of `x`, of `type`: with its explicit sharding and the axes over which it varies."""
    shown = explicit_sharding(x)
    mesh = get_abstract_mesh() if shown is None else shown.mesh.abstract_mesh
    if not mesh.axis_names:
        return ShapedArray.of(type)
    spec = PartitionSpec(*[None] * type.ndim) if shown is None else shown.spec
    sharding = NamedSharding(mesh, spec)
    return ShapedArray(type.shape, type.dtype, type.weak, sharding=sharding, vma=type.varying)


def trace_state_clean() -> bool:
    """Return whether nothing is being traced in this thread."""
    return isinstance(current_trace(), EvalTrace)


class HasProgram(Protocol):
    """What `make_jaxpr` returns."""

    program: Program


def eval_jaxpr(
    jaxpr: Program | HasProgram,
    consts: Sequence[object],
    *args: object,
    propagate_source_info: bool = True,
) -> list[Array]:
    """Return the results of a program for arrays; what its function captured goes first, as `consts`.

    Under a transformation, or under jit, its operations are transformed as any others. `propagate_source_info` is
    there for JAX's sake: operations keep the lines that they came from.

    Raises:
        ArgumentError: it is not a program, or the number of arguments is another.
        ShapeError: an argument has a different type from the program's parameter.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle.core import eval_jaxpr
        >>> made = treadle.make_jaxpr(lambda x: tnp.sin(x) + x)(0.0)
        >>> [float(y) for y in eval_jaxpr(made, made.consts, 0.0)]
        [0.0]
    """
    program = jaxpr if isinstance(jaxpr, Program) else getattr(jaxpr, "program", None)
    if not isinstance(program, Program):
        raise refused("eval_jaxpr", "jaxpr", "what `make_jaxpr` returns", jaxpr)
    operands = [as_array(x) for x in (*sequence("eval_jaxpr", "consts", consts), *args)]
    if len(operands) != len(program.parameters):
        raise ArgumentError(
            f"eval_jaxpr: the program takes {len(program.parameters)} arrays, but got {len(consts)} constants "
            f"and {len(args)} arguments",
            fix="pass `made.consts` and the arguments, flattened",
        )
    for number, (have, want) in enumerate(zip(operands, program.parameter_types, strict=True)):
        if have.type.strong() != want.strong():
            raise ShapeError(
                f"eval_jaxpr: array {number} is {have.type}, but the program takes {want}"
            )
    return [as_array(result) for result in interpret(program, *operands)]


def eval_context() -> AbstractContextManager[None]:
    """`with eval_context():` operations run at once, whatever is being traced.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle.core import eval_context
        >>> def f(x):
        ...     with eval_context():
        ...         n = int(tnp.sum(tnp.ones(3)))
        ...     return x * n
        >>> print(treadle.jit(f)(2.0))
        6.0
    """
    return running(ROOT)


def max_dim(d1: int, d2: int) -> int:
    """Return the larger of two sizes."""
    return max(integer("max_dim", "d1", d1), integer("max_dim", "d2", d2))


def min_dim(d1: int, d2: int) -> int:
    """Return the smaller of two sizes."""
    return min(integer("min_dim", "d1", d1), integer("min_dim", "d2", d2))


boundaries(__name__)
