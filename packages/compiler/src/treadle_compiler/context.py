"""What a lowering rule may use: emit operations, constants, regions and nested programs, as text.

The text is MLIR's generic form, `%2 = "stablehlo.add"(%0, %1) : (tensor<3xf32>, ...) -> tensor<3xf32>`: regular,
and the same in all releases of jaxlib. Names are numbers in order of emission, so equal programs give equal
bytes in any process. A rule never sees jaxlib.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, final

import numpy as np

from treadle_compiler.function_text import function_text
from treadle_compiler.module import Module
from treadle_compiler.partitioning import ManualScope
from treadle_compiler.types import dense, is_in_parts, mlir_type, scalar_text, string_text
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import TOKEN, ArrayType, Literal, Primitive, Program, TreadleError, Type
from treadle_ir.core import dtypes

if TYPE_CHECKING:
    from treadle_ir.primitives.metadata import Metadata


FRONTEND_ATTRIBUTES: Final = "mhlo.frontend_attributes"
MOST_REGIONS: Final = 200
"""Regions within one another: XLA of jaxlib 0.10.2 compiles `while` 200 deep in 20 s, and dies of the 260th."""


class NestingError(TreadleError, RecursionError):
    """A program whose loops and branches stand so deep within one another that XLA would not survive it."""


def _elements(value: object, type: ArrayType) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the elements of a constant; float0 has no data, and is lowered as booleans."""
    if dtypes.is_float0(type.dtype):
        return np.zeros((), np.bool_)
    return np.asarray(value, type.dtype)


def _with_metadata(attributes: Mapping[str, str], metadata: Metadata) -> Mapping[str, str]:
    """An operation's attributes with those that XLA calls frontend attributes, of which its own come first."""
    own = attributes.get(FRONTEND_ATTRIBUTES, "{}")[1:-1]
    more = [
        f"{string_text(name)} = {string_text(value)}"
        for name, value in metadata
        if f", {name} = " not in f", {own}"
    ]
    return {**attributes, FRONTEND_ATTRIBUTES: f"{{{', '.join([own, *more] if own else more)}}}"}


# elements or a scalar's value, and the type they are wanted in
_Key: TypeAlias = tuple[object, Type]


class ProgramLowering(Protocol):
    """Writes nested programs, for rules: the walk over programs, which calls the rules."""

    def call(
        self,
        context: LoweringContext,
        program: Program,
        operands: HloValues,
        inlining: str = "",
    ) -> HloValues:
        """Call the program's function, or write its equations here if they are few."""
        ...

    def inline(self, context: LoweringContext, program: Program, operands: HloValues) -> HloValues:
        """Write the program's equations here."""
        ...

    def function(self, context: LoweringContext, program: Program) -> str:
        """Return the name of the program's function."""
        ...

    def legalised(self, program: Program) -> Program:
        """Return a program that a rule has made after the passes of `legalise`."""
        ...


@final
class LoweringContext:
    """Writes the body of one function. Rules get it as their first argument.

    `result_types` are the types of the results of the equation that is being lowered.

    Args:
        module: what the function will be part of.
        programs: writes nested programs.
        outer: the context where the function is called first, inside the same regions and with the same attributes.
    """

    __slots__ = (
        "_added",
        "_constants",
        "_count",
        "lines",
        "location",
        "manual",
        "metadata",
        "module",
        "open_regions",
        "platform",
        "programs",
        "result_types",
        "scope",
        "token",
    )

    def __init__(
        self, module: Module, programs: ProgramLowering, outer: LoweringContext | None = None
    ) -> None:
        self.module: Final = module
        self.programs: Final = programs
        self.platform: Final = module.platform
        self.lines: list[str] = []
        self.result_types: tuple[Type, ...] = ()
        self.location = ""  # ` loc(...)` of the operations that are written
        self.scope = ""  # the named scopes around them, outermost first: `encoder/attention`
        # of the last ordered effect in this function or region
        self.token: HloValue | None = None
        self.open_regions = 0  # loops and branches around what is written
        self.manual: ManualScope | None = None  # the shard_map around it
        self.metadata: Metadata = ()  # its attributes
        if outer is not None:
            self.open_regions, self.manual = outer.open_regions, outer.manual
            self.metadata = outer.metadata
        self._constants: dict[_Key, HloValue] = {}  # and scalars that were broadcast
        self._added: list[_Key] = []  # to `_constants`, in this region
        self._count = 0

    def fresh(self, type: Type) -> HloValue:
        """A value with a new name."""
        self._count += 1
        return HloValue(f"%{self._count}", type)

    def emit(
        self,
        op: str,
        operands: HloValues,
        result_types: Sequence[Type],
        attributes: Mapping[str, str] | None = None,
        regions: Sequence[str] = (),
    ) -> list[HloValue]:
        """Emit one operation, `op` with its dialect (`"stablehlo.add"`); attributes are MLIR text.

        `regions` are texts made by `region`. Returns the results, in order.
        """
        if len(operands) == 2:  # a hot path: joins take three times as long
            x, y = operands
            names, types = f"{x.name}, {y.name}", f"{x.mlir}, {y.mlir}"
        elif len(operands) == 1:
            x = operands[0]
            names, types = x.name, x.mlir
        else:
            names = ", ".join([operand.name for operand in operands])
            types = ", ".join([operand.mlir for operand in operands])
        more = f" ({', '.join(regions)})" if regions else ""
        if self.metadata and not op.endswith(".return"):
            attributes = _with_metadata(attributes or {}, self.metadata)
        if attributes:
            more += f" {{{', '.join([f'{name} = {text}' for name, text in attributes.items()])}}}"
        if len(result_types) == 1:
            self._count += 1
            result = HloValue(f"%{self._count}", result_types[0])
            self.lines.append(
                f'{result.name} = "{op}"({names}){more} : ({types}) -> {result.mlir}{self.location}'
            )
            return [result]
        results = [self.fresh(type) for type in result_types]
        left = f"{', '.join([result.name for result in results])} = " if results else ""
        right = ", ".join([result.mlir for result in results])
        self.lines.append(f'{left}"{op}"({names}){more} : ({types}) -> ({right}){self.location}')
        return results

    def one(
        self,
        op: str,
        operands: HloValues,
        result_type: Type,
        attributes: Mapping[str, str] | None = None,
        regions: Sequence[str] = (),
    ) -> HloValue:
        """Emit one operation that has one result."""
        return self.emit(op, operands, (result_type,), attributes, regions)[0]

    def literal(self, literal: Literal) -> HloValue:
        """A program's scalar constant."""
        found = self._constants.get(literal.key)
        return self.constant(literal.value, literal.type) if found is None else found

    def constant(self, value: object, type: ArrayType) -> HloValue:
        """A constant of a type: a scalar (broadcast to the shape), or a small array of that shape."""
        if isinstance(value, np.generic) and value.dtype is type.dtype:
            key = value.tobytes(), type
        else:
            array = _elements(value, type)
            key = array.tobytes() + bytes(array.ndim), type
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self._new_constant(value, type)
            self._added.append(key)
        return found

    def _new_constant(self, value: object, type: ArrayType) -> HloValue:
        array = _elements(value, type)
        if is_in_parts(type):
            return self._in_parts(array, type)
        if array.ndim:
            text = dense(array)
        elif type.size:
            text = f"dense<{scalar_text(array.flat[0])}> : {mlir_type(type)}"
        else:
            text = f"dense<> : {mlir_type(type)}"
        made = self.one("stablehlo.constant", (), type, {"value": text})
        if not array.ndim:
            made.literal = array[()]
        return made

    def _in_parts(self, elements: np.ndarray[Any, np.dtype[Any]], type: ArrayType) -> HloValue:
        """Elements that are several each, such as the words of keys, broadcast over the shape if it is one."""
        own = ArrayType(elements.shape, type.dtype)
        made = self.one("stablehlo.constant", (), own, {"value": dense(elements)})
        if elements.shape == type.shape:
            return made
        axes = {"broadcast_dimensions": f"array<i64: {len(type.shape)}>"}
        return self.one("stablehlo.broadcast_in_dim", [made], type, axes)

    def broadcast_scalar(self, scalar: HloValue, type: ArrayType) -> HloValue:
        """A scalar over a shape: a constant of the shape where it is one, else a broadcast."""
        if scalar.shape == type.shape:
            return scalar
        key = scalar, type
        found = self._constants.get(key)
        if found is not None:
            return found
        wanted = ArrayType(type.shape, scalar.dtype)
        if scalar.literal is not None:
            return self.once(key, lambda: self.constant(scalar.literal, wanted))
        axes = {"broadcast_dimensions": "array<i64>"}
        return self.once(
            key, lambda: self.one("stablehlo.broadcast_in_dim", [scalar], wanted, axes)
        )

    def once(self, key: _Key, make: Callable[[], HloValue]) -> HloValue:
        """Return what was emitted here, or around here, under this key; emit it, if nothing was."""
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = make()
            self._added.append(key)
        return found

    def token_before(self) -> HloValue:
        """The token of the ordered effects so far in this function or region; a new one if there were none."""
        if self.token is None:
            self.token = self.one("stablehlo.create_token", (), TOKEN)
        return self.token

    def binary_region(self, op: str, type: Type) -> str:
        """The text of a region that applies one operation to two values of a type, as reductions have it.

        Its names are letters: they stand for nothing outside, and the text is the same each time.
        """
        text = mlir_type(type)
        return (
            f'{{\n^bb0(%a: {text}, %b: {text}):\n%c = "{op}"(%a, %b) : ({text}, {text}) -> {text}\n'
            f'"stablehlo.return"(%c) : ({text}) -> ()\n}}'
        )

    def region(
        self,
        types: Sequence[Type],
        body: Callable[[HloValues], HloValues],
        end: str = "stablehlo.return",
    ) -> str:
        """The text of a region: a block with parameters of these types, returning what `body` returns.

        `body` emits with this same context. It may use values from outside of the region, unless it has an `end` of
        its own, as isolated regions have.

        Raises:
            NestingError: it stands within `MOST_REGIONS` others.
        """
        if self.open_regions >= MOST_REGIONS:
            raise NestingError(
                f"loops and branches are nested more than {MOST_REGIONS} deep, for which XLA's stack is too small",
                fix="make one loop of several, with what distinguishes them in its state",
            )
        outer_lines, outer_added, outer_token = self.lines, self._added, self.token
        self.lines, self._added, self.token = [], [], None
        outer_constants = self._constants
        if end != "stablehlo.return":
            self._constants = {}
        parameters = [self.fresh(type) for type in types]
        self.open_regions += 1
        try:
            results = body(parameters)
            self.emit(end, results, ())
            lines = self.lines
        finally:
            self.open_regions -= 1
            for key in self._added:  # no code outside may use them
                del self._constants[key]
            self._constants = outer_constants
            self.lines, self._added, self.token = outer_lines, outer_added, outer_token
        declared = ", ".join([f"{x.name}: {x.mlir}" for x in parameters])
        inside = "\n".join(lines)
        return f"{{\n^bb0({declared}):\n{inside}\n}}"

    def program(self, program: Program, *operands: HloValue, inlining: str = "") -> HloValues:
        """Emit a nested program: inline when it is used once or small, else as a call of a shared function.

        `inlining` tells XLA when to inline that call: there is one then, however small the program is.
        """
        return self.programs.call(self, program, operands, inlining)

    def legalised(self, program: Program) -> Program:
        """A program that a rule has staged, after the passes of `legalise`; nested programs have been through them."""
        return self.programs.legalised(program)

    def inline(self, program: Program, *operands: HloValue) -> HloValues:
        """Emit a nested program's equations here."""
        return self.programs.inline(self, program, operands)

    def function(self, program: Program) -> str:
        """The name of a nested program's function."""
        return self.programs.function(self, program)

    def shared(
        self, rule: Callable[..., HloValues], primitive: Primitive, *operands: HloValue
    ) -> HloValues:
        """Emit what a rule emits, as a call of one function for all operations like this one.

        For rules that emit some hundred operations. XLA inlines the calls.
        """
        types, results, shared = [x.type for x in operands], self.result_types, self.module.shared
        key = rule, primitive, tuple(types), results, self.manual, self.metadata
        name = shared.get(key)
        if name is None:
            inner = LoweringContext(self.module, self.programs, self)
            inner.result_types, inner.scope = results, self.scope
            parameters = [inner.fresh(type) for type in types]
            found = rule(inner, primitive, *parameters)
            name = shared[key] = self.module.add_function(
                lambda name: function_text(name, "private", inner.lines, parameters, found)
            )
        return self.emit("func.call", operands, results, {"callee": name})

    @contextmanager
    def annotating(self, metadata: Metadata) -> Iterator[None]:
        """Give the operations emitted in the block attributes for XLA, in addition to what the blocks around it give.

        Constants of the block are its own: what comes after it has no such attributes.
        """
        outer, constants, added = self.metadata, self._constants, self._added
        self.metadata = tuple(sorted({**dict(outer), **dict(metadata)}.items()))
        self._constants, self._added = {}, []
        try:
            yield
        finally:
            self.metadata, self._constants, self._added = outer, constants, added

    def callback(self, function: Callable[..., object]) -> int:
        """Register a host callback of the module; the index selects it in the custom call."""
        return self.module.add_callback(function)
