"""What an exported function computes: a closed program, and the arrays that it captured."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from treadle.export.container import Elements, array_type, damaged
from treadle.export.shardings import ExportedShardings, constrained
from treadle_compiler import Embedded, lower_program
from treadle_ir import (
    Array,
    ArrayType,
    Operand,
    ParseError,
    Program,
    Type,
    UnsupportedError,
    VerifyError,
    bind,
    stage,
    type_of,
)
from treadle_ir.analysis import verify
from treadle_ir.core import is_symbolic, scope_of, variables_of
from treadle_ir.primitives.convert import Convert
from treadle_ir.rewrite import plain
from treadle_ir.rewrite.sizes import substitute
from treadle_ir.symbolic import SymbolicScope
from treadle_ir.symbolic.solving import Axis, sample, solve
from treadle_ir.text import parse_program, print_program
from treadle_ir.tracing import auto_axes, interpret_unchecked as interpret
from treadle_runtime import DeviceArray, JitFunction, from_host, jit
from treadle_runtime.arrays.array import elements_of


@final
class Body:
    """A program whose first parameters are arrays that it brings along; `run` computes it, compiled."""

    def __init__(
        self,
        name: str,
        program: Program,
        constants: Sequence[Array],
        shardings: ExportedShardings | None = None,
    ) -> None:
        self.name = name
        self.shardings = shardings  # over several devices
        self.program = program
        self.constants = tuple(constants)

    @property
    def parameter_types(self) -> tuple[Type, ...]:
        """The types of what a call passes."""
        return self.program.parameter_types[len(self.constants) :]

    @functools.cached_property
    def run(self) -> JitFunction[..., list[Operand]]:
        """From flat operands to flat results."""
        program, constants, types = self.program, self.constants, self.parameter_types
        symbolic = self.is_symbolic

        def run(*operands: Operand) -> list[Operand]:
            fitting, expected = self._for_sizes_of(operands) if symbolic else (program, types)
            exact = map(_as_weak_as, operands, expected)
            return [*interpret(fitting, *constants, *exact)]

        def run_over(*operands: Operand) -> list[Operand]:
            with auto_axes():  # it was staged already: no rule is asked again
                assert shardings is not None
                return constrained(run(*constrained(operands, shardings.inputs)), shardings.outputs)

        shardings = self.shardings
        function = run if shardings is None else run_over
        function.__name__ = self.name
        return jit(function)

    # --- symbolic sizes ---

    @functools.cached_property
    def is_symbolic(self) -> bool:
        """Whether a size of an argument is symbolic."""
        return any([is_symbolic(shape) for shape in self.shapes])

    @functools.cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of what a call passes."""
        return [each.shape for each in self.parameter_types if isinstance(each, ArrayType)]

    @functools.cached_property
    def scope(self) -> SymbolicScope:
        """What is known of the sizes."""
        return scope_of(self.shapes) or SymbolicScope()

    def solved(
        self, shapes: Sequence[tuple[int, ...]], names: Callable[[int], str]
    ) -> tuple[dict[str, Any], SymbolicScope]:
        """Return a size for each name, from the shapes of what a call passes. Any: sizes, which may be symbolic again.

        Raises:
            ShapeError: they do not fit; the error names the argument by `names` of its number.
        """
        axes = [
            Axis(names(number), axis, *sizes)
            for number, (expected, found) in enumerate(zip(self.shapes, shapes, strict=True))
            for axis, sizes in enumerate(zip(expected, found, strict=True))
        ]
        return solve(f"the exported {self.name}", axes, self.scope)

    def _for_sizes_of(self, operands: Sequence[Operand]) -> tuple[Program, tuple[Type, ...]]:
        """Return the program for the shapes of operands, and the types that it takes after its arrays."""
        shapes = [operand.shape for operand in operands]
        if shapes == self.shapes:
            return self.program, self.parameter_types
        values, scope = self.solved(shapes, lambda number: f"array {number} of the arguments")
        program = substitute(self.program, values, scope)
        return program, program.parameter_types[len(self.constants) :]

    def example(self) -> Program | None:
        """Return the program for small sizes that it may have, or None where none were found."""
        if not self.is_symbolic:
            return self.program
        names = {name for shape in self.shapes for n in shape for name in variables_of(n)}
        values = sample(sorted(names), self.scope)
        return None if values is None else substitute(self.program, values, SymbolicScope())

    def stablehlo(self, platform: str) -> str:
        """Return the program as StableHLO for a platform, its arrays embedded as constants.

        Raises:
            UnsupportedError: it has symbolic sizes.
        """
        if self.is_symbolic:
            raise UnsupportedError(
                f"mlir_module: {self.name} has symbolic sizes, and StableHLO is written for known ones only",
                fix="export the function for the sizes that are wanted, or export jit(exported.call) for them",
            )
        types = self.program.parameter_types[: len(self.constants)]

        def whole(*operands: Operand) -> Sequence[Operand]:
            arrays = [
                bind(Embedded(elements_of(_device_array(x)), type), *())[0]
                for x, type in zip(self.constants, types, strict=True)
                if isinstance(type, ArrayType)
            ]
            return interpret(self.program, *arrays, *operands)

        staged = stage(whole, *self.parameter_types)
        over = None if self.shardings is None else self.shardings.partitioning(staged.program)
        return lower_program(
            staged.program, name=self.name, platform=platform, partitioning=over
        ).text

    def written(self, arrays: list[Elements]) -> dict[str, Any]:  # Any: what JSON holds
        """Return the program as JSON; its arrays are appended to `arrays`.

        Raises:
            UnsupportedError: it calls Python functions back, or has operations that the text format does not know.
        """
        text = print_program(plain(self.program))
        try:
            parse_program(text)
        except ParseError as error:
            raise self._unwritable(error) from error
        start = len(arrays)
        arrays += [elements_of(_device_array(x)) for x in self.constants]
        return {"program": text, "constants": [start, len(arrays)]}

    def _unwritable(self, error: ParseError) -> UnsupportedError:
        effects = {effect.name for effect in self.program.effects}
        if "<opaque" in str(error) or effects:
            return UnsupportedError(
                f"serialize: {self.name} calls a Python function back, which cannot be written down",
                fix="leave pure_callback, io_callback and debug.print out of what is exported",
            )
        return UnsupportedError(
            f"serialize: {self.name} has an operation that the text format does not read: {error}",
            fix="register the classes of your own primitives with treadle_ir.register",
        )


def _as_weak_as(operand: Operand, type: Type) -> Operand:
    """Return the operand with the weakness that a parameter has, which nested programs rely on."""
    own = type_of(operand)
    if own is type or not isinstance(type, ArrayType):
        return operand
    return bind(Convert(type.dtype, type.weak), operand)[0]


def _device_array(array: Array) -> DeviceArray:
    assert isinstance(array, DeviceArray)  # jit makes nothing else of what a function captures
    return array


def read_body(name: str, written: Mapping[str, Any], arrays: Sequence[Elements]) -> Body:
    """Return the body that `Body.written` wrote; parsing executes nothing.

    Raises:
        ArgumentError: it wrote no such thing.
    """
    text, places = written.get("program"), written.get("constants")
    if not isinstance(text, str):
        raise damaged("the artefact has no program")
    if (
        not isinstance(places, list)
        or [type(each) for each in places] != [int, int]
        or not 0 <= places[0] <= places[1] <= len(arrays)
    ):
        raise damaged("the artefact does not say which arrays its program has")
    try:
        program = parse_program(text)
        verify(program)
    except (ParseError, VerifyError) as error:
        raise damaged(f"the artefact's program does not parse: {error}") from error
    constants = arrays[places[0] : places[1]]
    expected = [
        ArrayType(x.shape, x.dtype, type.weak)
        for x, type in zip(constants, program.parameter_types, strict=False)
        if isinstance(type, ArrayType)
    ]
    if [*program.parameter_types[: len(constants)]] != expected or len(expected) != len(constants):
        raise damaged("the artefact's arrays are not what its program takes")
    made = [from_host(x, weak=type.weak) for x, type in zip(constants, expected, strict=True)]
    return Body(name, program, made)


def read_types(written: object, scope: SymbolicScope) -> list[ArrayType]:
    """Types written as a list of texts, their symbolic sizes of a scope.

    Raises:
        ArgumentError: they were not.
    """
    if not isinstance(written, list):
        raise damaged("the artefact does not list the types of arguments or results")
    return [array_type(each, scope) for each in written]
