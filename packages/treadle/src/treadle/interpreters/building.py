"""What lowering rules that build MLIR need: their context, types, constants and attributes as JAX names them.

All of it is used within a rule: MLIR's objects belong to a context, which is there while a rule runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, final

import numpy as np

from treadle.core import AbstractValue, aval_of, type_of_aval
from treadle.extend.backend import get_backend
from treadle.extension import Application, Primitive
from treadle.interpreters.ir_values import constant_handler, flatten_ir_values
from treadle.interpreters.tokens import TokenSet
from treadle_compiler import (
    BuildContext,
    HloValue,
    IrValue,
    LoweredCallback,
    LoweringContext,
    ModuleError,
    build,
    callback_target,
    ir_array,
    ir_elements,
    ir_module,
    ir_type,
)
from treadle_ir import AbstractMesh, ArrayType, Effect, Type, UnsupportedError, type_of
from treadle_ir.calling import as_array
from treadle_ir.core import canonical_dtype
from treadle_ir.errors import boundaries, element_type, functions, refused
from treadle_ir.primitives.effectful import HostFunction

__all__ = [
    "AxisContext",
    "LoweringRuleContext",
    "ModuleContext",
    "SPMDAxisContext",
    "ShardingContext",
    "aval_to_ir_type",
    "aval_to_ir_types",
    "dense_int_array",
    "dense_int_elements",
    "dtype_to_ir_type",
    "emit_python_callback",
    "i32_attr",
    "i64_attr",
    "ir_constant",
    "ir_constants",
    "shape_tensor",
]

Ir = Any  # what is of jaxlib.mlir, which has no types


@final
@dataclass(frozen=True)
class ShardingContext:
    """The devices of a module whose operations XLA partitions."""

    num_devices: int
    device_assignment: tuple[Any, ...] | None = None
    abstract_mesh: AbstractMesh | None = None


@final
@dataclass(frozen=True)
class SPMDAxisContext:
    """The mesh around a rule within `shard_map`, and the axes over which it is mapped."""

    mesh: AbstractMesh
    manual_axes: frozenset[Hashable] = frozenset()


AxisContext: TypeAlias = SPMDAxisContext | ShardingContext


@final
@dataclass(frozen=True, eq=False)
class ModuleContext:
    """The module that a rule builds in."""

    platforms: tuple[str, ...]
    context: Ir
    module: Ir
    build: BuildContext
    axis_context: AxisContext

    @property
    def symbol_table(self) -> Ir:
        """The names of the module's functions: `insert` gives one a name that no other has."""
        return self.build.symbols

    @property
    def backend(self) -> Any:
        """jaxlib's client of the platform that is compiled for."""
        return get_backend(self.platforms[0])

    def get_backend(self) -> Any:
        """Return jaxlib's client of the platform that is compiled for."""
        return self.backend

    def add_keepalive(self, keepalive: object) -> None:
        """JAX keeps objects for a module so; treadle's modules keep what they call themselves."""

    def replace(self, **changes: Any) -> ModuleContext:
        """Return a copy with the given fields replaced."""
        return replace(self, **changes)


@final
@dataclass(eq=False)
class LoweringRuleContext:
    """Describes to a rule the operation that it builds: its types, its platform, the module, tokens of its effects.

    `traceback`, `const_lowering` and the like are for JAX's functions that ask for them.
    """

    module_context: ModuleContext
    primitive: Primitive | None
    avals_in: Sequence[AbstractValue]
    avals_out: Sequence[AbstractValue]
    build: BuildContext
    name_stack: str = ""
    tokens_in: TokenSet = field(default_factory=TokenSet)
    tokens_out: TokenSet | None = None
    traceback: None = None
    const_lowering: dict[Any, Any] = field(default_factory=dict)
    dim_var_values: tuple[()] = ()
    axis_size_env: None = None
    jaxpr_eqn_ctx: None = None

    @property
    def platforms(self) -> tuple[str, ...]:
        """The platform that is compiled for."""
        return self.module_context.platforms

    def set_tokens_out(self, tokens_out: TokenSet) -> None:
        """Say which tokens the operation's ordered effects give on.

        Raises:
            ArgumentError: it is no `TokenSet`.
        """
        if not isinstance(tokens_out, TokenSet):
            raise refused("set_tokens_out", "tokens_out", "a TokenSet", tokens_out)
        self.tokens_out = tokens_out

    def is_forward_compat(self) -> bool:
        """Return whether older releases have to read the module, which is JAX's question: no."""
        return False

    def replace(self, **changes: Any) -> LoweringRuleContext:
        """Return a copy with other fields, such as `avals_in` for another rule."""
        return replace(self, **changes)

    def emit(
        self,
        op: str,
        operands: Sequence[IrValue],
        result_types: Sequence[AbstractValue | Ir],
        attributes: dict[str, str | Ir] | None = None,
    ) -> list[IrValue]:
        """Return the results of an operation by its name, such as "stablehlo.add"; attributes are MLIR's, or their
        text.
        """
        return [*self.apply(op, operands, result_types, attributes).results]

    def apply(
        self,
        op: str,
        operands: Sequence[IrValue],
        result_types: Sequence[AbstractValue | Ir],
        attributes: dict[str, str | Ir] | None = None,
    ) -> Ir:
        """As `emit`; returns the operation."""
        ir = ir_module()
        types = [
            aval_to_ir_type(each) if isinstance(each, AbstractValue) else each
            for each in result_types
        ]
        given = {
            name: ir.Attribute.parse(each) if isinstance(each, str) else each
            for name, each in (attributes or {}).items()
        }
        return ir.Operation.create(op, results=types, operands=[*operands], attributes=given)


def run_builder(
    rule: Callable[..., Any],
    context: LoweringContext,
    primitive: Application,
    operands: Sequence[HloValue],
) -> list[HloValue]:
    """Run a library's builder, and return its results as values of the module that is being written."""
    effects = primitive.effects(*[each.type for each in operands])
    ordered = [each for each in effects if each.ordered]

    def built(inner: BuildContext, values: Sequence[IrValue]) -> list[IrValue]:
        module = ModuleContext(
            (context.platform,),
            ir_module().Context.current,
            inner.module,
            inner,
            _axis_context(context),
        )
        ctx = LoweringRuleContext(
            module,
            primitive.of,
            [aval_of(each.type) for each in operands],
            [aval_of(each) for each in context.result_types],
            inner,
            tokens_in=TokenSet(dict.fromkeys(ordered, inner.token)),
        )
        results = flatten_ir_values([rule(ctx, *values, **primitive.parameters)])
        if ordered:
            inner.token_after = _one_token(ctx, ordered)
        return results

    return build(context, operands, built)


def _axis_context(context: LoweringContext) -> AxisContext:
    module = context.module
    if context.manual is not None:
        return SPMDAxisContext(context.manual.mesh, frozenset(context.manual.axes))
    return ShardingContext(1 if module.partitioning is None else module.partitioning.mesh.size)


def _one_token(ctx: LoweringRuleContext, effects: Sequence[Effect]) -> IrValue:
    """Return the token that an operation passes on, from the tokens of its effects, which share one order here."""
    given = {} if ctx.tokens_out is None else dict(ctx.tokens_out.items())
    missing = [each for each in effects if each not in given]
    if missing:
        raise ModuleError(
            f"the lowering rule of `{ctx.primitive}` sets no token for its ordered effects {missing}",
            fix="`ctx.set_tokens_out(TokenSet({effect: token}))`, with a token made of `ctx.tokens_in.get(effect)`",
        )
    tokens = [*dict.fromkeys(flatten_ir_values([given[each] for each in effects]))]
    if len(tokens) == 1:
        return tokens[0]
    make = ir_module().Operation.create
    return make("stablehlo.after_all", results=[tokens[0].type], operands=tokens).results[0]


def aval_to_ir_type(ctx: ModuleContext | AbstractValue, aval: AbstractValue | None = None) -> Ir:
    """Return the type of MLIR for arrays of a type; `aval_to_ir_type(aval)` will do."""
    return ir_type(type_of_aval(ctx if aval is None else aval))


def aval_to_ir_types(
    ctx: ModuleContext | AbstractValue, aval: AbstractValue | None = None
) -> tuple[Ir, ...]:
    """Return the only type or value as a tuple."""
    return (aval_to_ir_type(ctx, aval),)


def dtype_to_ir_type(dtype: object) -> Ir:
    """Return the element type of MLIR for one of NumPy's."""
    scalar = ArrayType((), canonical_dtype(element_type("dtype_to_ir_type", dtype)))
    return ir_module().RankedTensorType(ir_type(scalar)).element_type


def ir_constant(
    val: object, *, const_lowering: object = None, aval: AbstractValue | None = None
) -> IrValue:
    """Return a constant: an array, a NumPy scalar, a Python number as wide as it is for treadle, or what has a
    handler.
    """
    handler = constant_handler(type(val))
    if handler is not None:
        (value,) = flatten_ir_values([handler(val, aval)])
        return value
    values = np.asarray(as_array(val))
    wanted: Type = type_of(values) if aval is None else type_of_aval(aval)
    assert isinstance(wanted, ArrayType)
    return ir_elements(values.astype(wanted.dtype, copy=False))


def ir_constants(
    val: object, *, const_lowering: object = None, aval: AbstractValue | None = None
) -> tuple[IrValue, ...]:
    """Return the only type or value as a tuple."""
    return (ir_constant(val, aval=aval),)


def _integer_attribute(bits: int, value: object) -> Ir:
    ir = ir_module()
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(bits), int(value))  # type: ignore[call-overload]


def i32_attr(i: object) -> Ir:
    """Return a 32-bit integer as an attribute."""
    return _integer_attribute(32, i)


def i64_attr(i: object) -> Ir:
    """Return a 64-bit integer as an attribute."""
    return _integer_attribute(64, i)


def dense_int_array(xs: Iterable[int]) -> Ir:
    """Axes or sizes as an attribute: `array<i64: 0, 1>`."""
    return ir_module().DenseI64ArrayAttr.get([int(x) for x in xs])


def dense_int_elements(xs: Iterable[int]) -> Ir:
    """Integers as the elements of an attribute: `dense<[0, 1]> : tensor<2xi64>`."""
    return ir_array(np.asarray([*xs], np.int64))


def shape_tensor(ctx: ModuleContext | None, sizes: Sequence[int]) -> IrValue:
    """Sizes as a constant array of 32-bit integers."""
    return ir_constant(np.asarray([*sizes], np.int32))


def emit_python_callback(
    ctx: LoweringRuleContext,
    callback: Callable[..., Any],
    token: object,
    operands: Sequence[IrValue],
    operand_avals: Sequence[AbstractValue],
    result_avals: Sequence[AbstractValue],
    *,
    has_side_effect: bool,
    returns_token: bool = True,
    partitioned: bool = False,
    sharding: object = None,
) -> tuple[list[IrValue], None, None]:
    """Call a Python function of NumPy arrays, which returns a tuple of such, from within a builder.

    Returns the results' values, and None for JAX's token and the object that it keeps: a module keeps its callbacks.

    Raises:
        UnsupportedError: a token or a sharding is given.
        MissingRuleError: the platform has no callbacks.
    """
    functions("emit_python_callback", callback=callback)
    if token is not None or sharding is not None:
        raise UnsupportedError(
            "emit_python_callback: tokens and shardings are not taken",
            fix="lower a function that calls `io_callback(..., ordered=True)`: `mlir.lower_fun`",
        )
    outer = ctx.build.outer
    types = []
    for each in map(type_of_aval, result_avals):
        assert isinstance(each, ArrayType)
        types.append(each)
    function = HostFunction(callback, tuple(types))
    attributes = {
        "call_target_name": f'"{callback_target(outer.platform, "emit_python_callback")}"',
        "api_version": "4 : i32",
        "backend_config": f"{{index = {outer.callback(LoweredCallback(function, False))} : ui64}}",
        "has_side_effect": "true" if has_side_effect else "false",
    }
    return ctx.emit("stablehlo.custom_call", operands, result_avals, attributes), None, None


boundaries(__name__)
