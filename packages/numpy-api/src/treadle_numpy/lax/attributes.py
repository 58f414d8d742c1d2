"""The attributes of treadle's instructions as parameters of JAX's primitives, and the other way round.

Code that walks programs reads `eqn.params["dimension_numbers"]` and binds `eqn.primitive` with them again. A parameter
is one attribute under another name, several attributes in one, or a constant that treadle has no use for. What is not
in the table is shown as it is called here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from treadle_ir import ArgumentError, Primitive, Program
from treadle_ir.errors import element_type
from treadle_numpy.indexing.modes import GatherScatterMode, gather_mode
from treadle_numpy.lax.convolution import ConvDimensionNumbers
from treadle_numpy.lax.elementwise import RoundingMethod
from treadle_numpy.lax.fourier import FftType
from treadle_numpy.lax.gather_scatter import GatherDimensionNumbers, ScatterDimensionNumbers
from treadle_numpy.lax.precision import Precision, precision_name

Tree: TypeAlias = Any  # Any: attributes and parameters of all kinds
T = TypeVar("T")


class Parameter(NamedTuple):
    """A parameter: the attributes that it is made of, how it is shown, and how they are read from it."""

    attributes: tuple[str, ...]
    shown: Callable[..., Tree]
    read: Callable[[Tree], tuple[Tree, ...]]


def _named(attribute: str) -> Parameter:
    return Parameter((attribute,), lambda value: value, lambda value: (value,))


def _dtype(attribute: str, *, optional: bool = False) -> Parameter:
    def read(value: Tree) -> tuple[Tree]:
        if value is None and not optional:
            raise ArgumentError("there is no element type")
        return (None if value is None else element_type("bind", value),)

    return Parameter((attribute,), lambda value: value, read)


def _constant(value: Tree) -> Parameter:
    return Parameter((), lambda: value, lambda _: ())


def _grouped(*attributes: str) -> Parameter:
    return Parameter(attributes, lambda *values: values, tuple)


def _numbered(kind: Callable[..., Tree], *attributes: str) -> Parameter:
    return Parameter(attributes, kind, lambda numbers: tuple([tuple(each) for each in numbers]))


def _strides(strides: tuple[int, ...]) -> tuple[int, ...] | None:
    return None if all(stride == 1 for stride in strides) else strides


def _precisions(name: str) -> tuple[Precision, Precision] | None:
    return None if name == "default" else (Precision[name.upper()],) * 2


_PRECISION: Final = Parameter(
    ("precision",),
    _precisions,
    lambda given: ("default" if given is None else precision_name(given),),
)
_MODE: Final = Parameter(
    ("mode",), GatherScatterMode.from_any, lambda mode: (gather_mode(mode, "fill"),)
)
_SCATTER: Final = {
    "dimension_numbers": _numbered(
        ScatterDimensionNumbers,
        *("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"),
        *("operand_batching_dims", "scatter_indices_batching_dims"),
    ),
    "mode": _MODE,
    "update_jaxpr": _constant(None),
    "update_consts": _constant(()),
}
_ARGUMENT: Final = {
    "axes": Parameter(("axis",), lambda axis: (axis,), tuple),
    "index_dtype": _dtype("dtype"),
}

_INLINE: Final = {"": False, "lowering": "jax_late"}
_INLINING: Final = {False: "", "jax_late": "lowering"}
# By mnemonic, then by JAX's name of the parameter.
_PARAMETERS: Final[Mapping[str, Mapping[str, Parameter]]] = {
    "all_gather": {
        "all_gather_dimension": _named("axis"),
        "axis_index_groups": _named("groups"),
        "axis_name": _named("axis_names"),
        "axis_size": _named("size"),
    },
    "all_reduce": {"axes": _named("axis_names"), "axis_index_groups": _named("groups")},
    "argmax": _ARGUMENT,
    "argmin": _ARGUMENT,
    "axis_index": {"axis_name": _named("axis_names")},
    "bitcast_convert": {"new_dtype": _dtype("dtype")},
    "broadcast_in_dim": {
        "broadcast_dimensions": _named("dimensions"),
        "sharding": _constant(None),
    },
    "call": {
        "jaxpr": _named("program"),
        "name": _named("label"),
        "inline": Parameter(
            ("inlining",),
            lambda inlining: _INLINE.get(inlining, inlining),
            lambda inline: (_INLINING.get(inline, inline),),
        ),
        "keep_unused": _constant(False),
    },
    "checkpoint": {"jaxpr": _named("program"), "differentiated": _named("recomputes")},
    "checkpoint_name": {"name": _named("label")},
    "convert": {
        "new_dtype": _dtype("dtype"),
        "weak_type": _named("weak"),
        "sharding": _constant(None),
    },
    "convolution": {
        "dimension_numbers": _numbered(ConvDimensionNumbers, "lhs_spec", "rhs_spec", "out_spec"),
        "window_strides": _named("strides"),
        "precision": _PRECISION,
        "preferred_element_type": _dtype("element_type", optional=True),
        "out_sharding": _constant(None),
    },
    "custom_jvp_call": {
        "call_jaxpr": _named("program"),
        "name": _named("label"),
        "jvp_jaxpr_fun": _named("derivative"),
        "num_consts": _constant(0),
        "symbolic_zeros": _constant(False),
    },
    "custom_vjp_call": {
        "call_jaxpr": _named("program"),
        "name": _named("label"),
        "num_consts": _constant(0),
        "symbolic_zeros": _constant(False),
    },
    "dot_general": {
        "dimension_numbers": _grouped("contracting", "batching"),
        "precision": _PRECISION,
        "preferred_element_type": _dtype("element_type", optional=True),
        "out_sharding": _constant(None),
    },
    "dynamic_slice": {"slice_sizes": _named("sizes")},
    "eig": {
        "compute_left_eigenvectors": _named("compute_left"),
        "compute_right_eigenvectors": _named("compute_right"),
    },
    "fft": {
        "fft_type": Parameter(
            ("kind",),
            lambda kind: FftType[kind.upper()],
            lambda given: (FftType(given).name.lower(),),
        ),
        "fft_lengths": _named("lengths"),
    },
    "gather": {
        "dimension_numbers": _numbered(
            GatherDimensionNumbers,
            *("offset_dims", "collapsed_slice_dims", "start_index_map"),
            *("operand_batching_dims", "start_indices_batching_dims"),
        ),
        "mode": _MODE,
    },
    "integer_power": {"y": _named("exponent")},
    "iota": {"dtype": _dtype("dtype"), "sharding": _constant(None)},
    "pad": {
        "padding_config": Parameter(
            ("low", "high", "interior"),
            lambda *edges: tuple(zip(*edges, strict=True)),
            lambda config: tuple(zip(*config, strict=True)) or ((), (), ()),
        )
    },
    "permute": {
        "axis_name": _named("axis_names"),
        "axis_size": _named("size"),
        "perm": _named("pairs"),
    },
    "reduce_add": {"out_sharding": _constant(None)},
    "reshape": {
        "new_sizes": _named("shape"),
        "dimensions": _constant(None),
        "sharding": _constant(None),
    },
    "round_nearest_afz": {"rounding_method": _constant(RoundingMethod.AWAY_FROM_ZERO)},
    "round_nearest_even": {"rounding_method": _constant(RoundingMethod.TO_NEAREST_EVEN)},
    "scan": {
        "jaxpr": _named("body"),
        "num_consts": _named("constants"),
        "num_carry": _named("carries"),
    },
    "scatter": _SCATTER,
    "scatter_add": _SCATTER,
    "scatter_maximum": _SCATTER,
    "scatter_minimum": _SCATTER,
    "scatter_multiply": _SCATTER,
    "schur": {"compute_schur_vectors": _named("compute_vectors")},
    "slice": {
        "start_indices": _named("start"),
        "limit_indices": _named("limit"),
        # None where all are 1: as many as there are is known from the others, when all are read
        "strides": Parameter(("strides",), _strides, lambda given: (given,)),
    },
    "sort": {"is_stable": _named("stable")},
    "while": {
        "cond_jaxpr": _named("cond"),
        "cond_nconsts": _named("cond_constants"),
        "body_jaxpr": _named("body"),
        "body_nconsts": _named("body_constants"),
    },
}
# Attributes that parameters do not show: the name of JAX's primitive says them.
_HIDDEN: Final[Mapping[str, tuple[str, ...]]] = {
    "all_reduce": ("reduction",),
    "compare": ("direction",),
}
# Operands that JAX's primitive has in another order, by where each of its own is: the cases of `select_n` count from
# false. Every one of these is its own inverse.
_ORDERS: Final[Mapping[str, tuple[int, ...]]] = {"select": (0, 2, 1)}


def _attribute_names(cls: type[Primitive]) -> list[str]:
    if not hasattr(cls, "__dataclass_fields__"):  # it has no attributes
        return []
    return [each.name for each in fields(cls)]  # type: ignore[arg-type]  # as asked


def _parameters_of(cls: type[Primitive]) -> dict[str, Parameter]:
    """Return all parameters of an instruction by name: from the table, and the other attributes as they are."""
    known = _PARAMETERS.get(cls.name, {})
    told = {attribute for parameter in known.values() for attribute in parameter.attributes}
    told.update(_HIDDEN.get(cls.name, ()))
    rest = {name: _named(name) for name in _attribute_names(cls) if name not in told}
    return {**known, **rest}


def parameters(primitive: Primitive) -> dict[str, Tree]:
    """Return the attributes of an instruction as parameters."""
    return {
        name: parameter.shown(*[getattr(primitive, each) for each in parameter.attributes])
        for name, parameter in _parameters_of(type(primitive)).items()
    }


def ordered(name: str, operands: Sequence[T]) -> Sequence[T]:
    """Return operands in the order of JAX's primitive, from the instruction's order, or the other way round."""
    order = _ORDERS.get(name)
    return operands if order is None else [operands[i] for i in order]


def hidden(primitive: Primitive) -> dict[str, Tree]:
    """Return the attributes of an instruction that no parameter shows."""
    return {name: getattr(primitive, name) for name in _HIDDEN.get(primitive.name, ())}


def instruction(
    cls: type[Primitive], given: Mapping[str, Tree], untold: Mapping[str, Tree]
) -> Primitive | None:
    """Return the instruction with these parameters; nested programs may be whatever has a `program`.

    `untold` are attributes that no parameter shows. Constants may be left out. None if it has other parameters, or a
    constant that differs from the given one, as `round` with a different method is a different instruction; or if a
    value is invalid.
    """
    known = _parameters_of(cls)
    if not given.keys() <= known.keys():
        return None
    attributes = dict(untold)
    for name, parameter in known.items():
        if not parameter.attributes:
            if name in given and given[name] != parameter.shown():
                return None
        elif name not in given:
            return None
        else:
            try:
                read = parameter.read(_as_attribute(given[name]))
                attributes.update(zip(parameter.attributes, read, strict=True))
            except (TypeError, ValueError, KeyError, ArgumentError):
                return None
    if cls.name == "slice" and attributes["strides"] is None:
        attributes["strides"] = (1,) * len(attributes["start"])
    return cls(**attributes)


def _as_attribute(value: Tree) -> Tree:
    """Return a parameter as attributes are: lists as tuples, views of programs as programs."""
    if isinstance(value, (list, tuple)):
        parts = [_as_attribute(each) for each in value]
        return tuple(parts) if type(value) in (list, tuple) else type(value)(*parts)
    inner = getattr(value, "program", None)
    return inner if isinstance(inner, Program) else value
