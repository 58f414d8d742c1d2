"""Code generation: a program as one Python function that calls NumPy kernels, with no per-operation dispatch.

For `sin(x) / x + 1` this module writes

    def run(x0):
        h0 = x0.host
        if h0 is None:
            h0 = elements_of(x0)
        token = suppress_fp_warnings(IGNORED)
        try:
            s0 = K0(h0)
            s0 = K1(s0, h0, s0)
            s0 = K2(s0, C0, s0)
        finally:
            restore(token)
        return [DeviceArray(R0, s0)]

Names in capitals are constants of the function. The name of a value is reused after its last use, so that its memory is
released as early as if the operations were called one by one; arithmetic overwrites an operand that is not used again,
which takes seven eighths of the time. Operations on constants are evaluated in advance. The function uses the same
kernels as single operations, so the results are the same to the last bit.

`representation` omits operations that NumPy performs implicitly: single elements stay NumPy scalars, whose arithmetic
takes a tenth of a call on arrays, and operands of arithmetic are not broadcast explicitly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir import ArrayType, Atom, Equation, Program, Value
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.random import RandomBits
from treadle_runtime.arrays.array import DeviceArray, Elements, elements_of
from treadle_runtime.evaluation import host
from treadle_runtime.evaluation.fp_warnings import IGNORED, restore, suppress_fp_warnings
from treadle_runtime.evaluation.operation import Operation, compact
from treadle_runtime.evaluation.representation import Representations, array_type
from treadle_runtime.placement.placement import PlacedType

Run: TypeAlias = Callable[..., list[DeviceArray]]
# the largest result of operations on constants, in bytes, that is computed in advance
MOST_CONSTANT: Final = 1 << 12
# Ufuncs that round exactly, and so give the same bits whichever loop NumPy chooses when operand and result overlap; its
# exponential functions do not, and `maximum` does not accept `out` by position.
_OVERWRITING: Final = frozenset(
    [
        np.add,
        np.bitwise_and,
        np.bitwise_or,
        np.bitwise_xor,
        np.divide,
        np.invert,
        np.left_shift,
        np.multiply,
        np.negative,
        np.right_shift,
        np.sqrt,
        np.square,
        np.subtract,
    ]
)
_LOCAL: Final = re.compile(r"\bv\d+\b")
_HEAD: Final[dict[str, Any]] = {
    "DeviceArray": DeviceArray,
    "IGNORED": IGNORED,
    "asarray": np.asarray,
    "compact": compact,
    "elements_of": elements_of,
    "suppress_fp_warnings": suppress_fp_warnings,
    "restore": restore,
}


def generate(
    program: Program,
    operations: Sequence[Operation],
    constants: Sequence[Elements],
    results: Sequence[PlacedType],
) -> Run:
    """Return the function that runs `program`.

    Args:
        program: the program.
        operations: the operation of each of its equations.
        constants: the elements of its leading parameters.
        results: the types and placements of its results.
    """
    writer = _Writer(program, constants)
    draws = _draws(program)
    for index, (equation, operation) in enumerate(zip(program.equations, operations, strict=True)):
        if index in draws:
            writer.together([program.equations[each] for each in draws[index]])
        writer.operation(equation, operation)
    return writer.function(results)


def _draws(program: Program) -> dict[int, list[int]]:
    """Return groups of independent draws of random bits, by the index of their first equation."""
    made = {value: i for i, equation in enumerate(program.equations) for value in equation.results}
    groups: dict[int, list[int]] = {}
    for index, equation in enumerate(program.equations):
        if isinstance(equation.primitive, RandomBits):
            (key,) = equation.operands
            assert isinstance(key, Value), "no literal is a key"
            definition = made.get(key, -1)
            first = next((each for each in groups if each > definition), index)
            groups.setdefault(first, []).append(index)
    return {first: group for first, group in groups.items() if len(group) > 1}


@final
class _Writer:
    """Writes the lines of the function."""

    def __init__(self, program: Program, constants: Sequence[Elements]) -> None:
        self._program = program
        self._held = Representations({**_HEAD})
        self._owned: set[Value] = set()  # arrays that are not views
        self._made: dict[
            str, ArrayType
        ] = {}  # fresh buffers, from ufuncs that may overwrite operands
        self._together: set[Equation] = set()  # equations written as one call with others
        known = len(constants)
        for value, elements in zip(program.parameters, constants, strict=False):
            self._held.constant(value, elements)
        self._operands = program.parameters[known:]
        for number, value in enumerate(self._operands):
            self._held.array(value, f"h{number}")

    def together(self, draws: Sequence[Equation]) -> None:
        """Write one call for several draws of random bits, if there is a kernel for them."""
        held = self._held
        keys = [equation.operands[0] for equation in draws]
        if any([held.known(key) is not None for key in keys]):
            return
        kernel = host.bits_together(
            [each for equation in draws if isinstance(each := equation.primitive, RandomBits)],
            [array_type(key) for key in keys],
            [array_type(equation.results[0]) for equation in draws],
        )
        if kernel is None:
            return
        call = f"{held.name('K', kernel)}({', '.join(map(held.as_array, keys))})"
        for equation, name in zip(draws, held.lines(call, len(draws)), strict=True):
            held.array(equation.results[0], name)
            self._owned.update(equation.results)
        self._together.update(draws)

    def operation(self, equation: Equation, operation: Operation) -> None:
        """Write the call of an operation's kernel, or an equivalent expression."""
        held = self._held
        if equation in self._together:
            return
        known = [held.known(atom) for atom in equation.operands]
        elements = [each for each in known if each is not None]
        if len(elements) == len(known):
            found = _evaluated(equation, operation, elements)
            if sum([each.nbytes for each in found]) <= MOST_CONSTANT:
                for result, each in zip(equation.results, found, strict=True):
                    held.constant(result, each)
                return
        if operation.inline is not None:
            if held.is_free(equation, operation.inline):
                return
            text, is_number = held.call(equation, operation.inline)
            (result,) = equation.results
            if is_number:
                held.number(result, text)
            else:
                name = held.line(text)
                held.array(result, name)
                if operation.inline in _OVERWRITING and array_type(result).shape:
                    self._made[name] = array_type(result)
        else:
            given = [held.as_array(atom) for atom in equation.operands]
            kernel, primitive = held.name("K", operation.kernel), held.name("P", equation.primitive)
            call = f"{kernel}({', '.join([primitive, *given])})"
            names = held.lines(call, len(equation.results))
            for result, name in zip(equation.results, names, strict=True):
                # NumPy's functions return scalars instead of arrays without axes.
                if isinstance(result.type, ArrayType) and not result.type.shape:
                    name = held.line(f"asarray({name})")
                held.array(result, name)
        if not operation.may_alias and not isinstance(equation.primitive, Select):
            self._owned.update(equation.results)

    def function(self, results: Sequence[PlacedType]) -> Run:
        """Assemble the generated function, and return it."""
        operands = [f"x{number}" for number in range(len(self._operands))]
        given = dict(zip(self._operands, operands, strict=True))
        items = [
            self._result(atom, placed, given)
            for atom, placed in zip(self._program.results, results, strict=True)
        ]
        made = ", ".join(items)
        written, kept = _named(_in_place(self._held.written, made, self._made), made)
        lines = [f"def run({', '.join(operands)}):"]
        for number, operand in enumerate(operands):
            lines += [
                f"    h{number} = {operand}.host",
                f"    if h{number} is None:",
                f"        h{number} = elements_of({operand})",
            ]
        lines += ["    token = suppress_fp_warnings(IGNORED)", "    try:"]
        lines += [f"        {line}" for line in written or ["pass"]]
        lines += ["    finally:", "        restore(token)"]
        lines.append(f"    return [{kept}]")
        namespace = self._held.namespace
        exec(compile("\n".join(lines), "<composed>", "exec"), namespace)
        run: Run = namespace.pop("run")
        return run

    def _result(self, atom: Atom, placed: PlacedType, given: dict[Value, str]) -> str:
        """Return the expression of a result: an operand itself, or a new array with the elements."""
        if isinstance(atom, Value) and atom in given:
            return given[atom]
        elements = self._held.as_array(atom)
        if atom not in self._owned:
            elements = f"compact({elements})"
        return f"DeviceArray({self._held.name('R', placed)}, {elements})"


def _evaluated(
    equation: Equation, operation: Operation, operands: Sequence[Elements]
) -> list[Elements]:
    """Return the results of an operation on constants."""
    assert operation.kernel is not None
    token = suppress_fp_warnings(IGNORED)
    try:
        results = operation.kernel(equation.primitive, *operands)
    finally:
        restore(token)
    return [np.asarray(result) for result in results]


def _in_place(
    lines: Sequence[tuple[str, str]], kept: str, made: Mapping[str, ArrayType]
) -> list[tuple[str, str]]:
    """Return the lines in which ufuncs write to a fresh operand that is not used later, and has no views."""
    last = _last_reads(lines, kept)
    viewed: set[str] = set()
    found = []
    for index, (target, text) in enumerate(lines):
        read = _LOCAL.findall(text)
        if target not in made:
            viewed.update(read)
        for name in read if target in made else ():
            free = name in made and last[name] == index and name not in viewed
            if free and _is_alike(made[name], made[target]):
                text = f"{text[:-1]}, {name})"
                break
        found.append((target, text))
    return found


def _is_alike(one: ArrayType, other: ArrayType) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype


def _last_reads(lines: Sequence[tuple[str, str]], kept: str) -> dict[str, int]:
    """Return the index of the line in which each name is used last."""
    last: dict[str, int] = {}
    for index, line in enumerate(lines):
        last.update(dict.fromkeys(_LOCAL.findall(" ".join(line)), index))
    last.update(dict.fromkeys(_LOCAL.findall(kept), len(lines)))
    return last


def _named(lines: Sequence[tuple[str, str]], kept: str) -> tuple[list[str], str]:
    """Return the lines and the returned expressions with few names: names are reused after their last use."""
    last = _last_reads(lines, kept)
    names: dict[str, str] = {}
    free: list[str] = []
    new = map("s{}".format, count())

    def named(text: str) -> str:
        return _LOCAL.sub(lambda match: names[match.group()], text)

    found = []
    for index, (targets, text) in enumerate(lines):
        read = named(text)
        free += [names[each] for each in {*_LOCAL.findall(text)} if last[each] == index]
        made = _LOCAL.findall(targets)
        for target in made:
            names[target] = free.pop() if free else next(new)
        free += [names[target] for target in made if last[target] == index]
        found.append(f"{named(targets)} = {read}")
    return found, named(kept)
