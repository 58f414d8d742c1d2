"""A program as one Python function of NumPy kernels, without anything between them.

For `sin(x) / x + 1` this module writes

    def run(x0):
        h0 = x0.host
        if h0 is None:
            h0 = elements_of(x0)
        token = quieten(SILENCE)
        try:
            s0 = K0(h0)
            s0 = K1(s0, h0)
            s0 = K2(s0, C0)
        finally:
            restore(token)
        return [DeviceArray(R0, s0)]

Names in capitals are constants of the function. A value's name is given to another one after its last use, so that the
memory goes as it does when the operations are called one by one. What depends on constants alone is computed before.
The kernels are those of single operations, and so
are the results, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir import ArrayType, Atom, Equation, Program, Value, last_uses
from treadle_runtime.arrays.array import DeviceArray, Elements, elements_of
from treadle_runtime.evaluation.operation import Operation, compact
from treadle_runtime.evaluation.quiet import SILENCE, quieten, restore
from treadle_runtime.placement.placement import PlacedType

Run: TypeAlias = Callable[..., list[DeviceArray]]
MOST_CONSTANT: Final = (
    1 << 12
)  # bytes of what depends on constants alone and is computed beforehand
_HEAD: Final[dict[str, Any]] = {
    "DeviceArray": DeviceArray,
    "SILENCE": SILENCE,
    "asarray": np.asarray,
    "compact": compact,
    "elements_of": elements_of,
    "quieten": quieten,
    "restore": restore,
}


def straight_line(
    program: Program,
    operations: Sequence[Operation],
    constants: Sequence[Elements],
    results: Sequence[PlacedType],
) -> Run:
    """The function: `operations` are the program's equations, `constants` its leading parameters."""
    writer = _Writer(program, constants)
    for index, (equation, operation) in enumerate(zip(program.equations, operations, strict=True)):
        writer.operation(index, equation, operation)
    return writer.function(results)


@final
class _Writer:
    """What has been written so far, and which name each value has."""

    def __init__(self, program: Program, constants: Sequence[Elements]) -> None:
        self._program = program
        self._constants: dict[str, Any] = {**_HEAD}
        self._names: dict[Value, str] = {}
        self._free: list[str] = []
        self._made = 0
        self._drops = last_uses(program)
        self._lines: list[str] = []
        count = len(constants)
        for value, elements in zip(program.parameters, constants, strict=False):
            self._names[value] = self._constant("C", elements)
        self._operands = program.parameters[count:]
        for number, value in enumerate(self._operands):
            self._names[value] = f"h{number}"

    def _constant(self, letter: str, value: Any) -> str:
        name = f"{letter}{len(self._constants)}"
        self._constants[name] = value
        return name

    def _read(self, atom: Atom) -> str:
        if isinstance(atom, Value):
            return self._names[atom]
        return self._constant("C", np.asarray(atom.value, atom.type.dtype))

    def operation(self, index: int, equation: Equation, operation: Operation) -> None:
        """Write the call of one operation's kernel."""
        given = [self._read(atom) for atom in equation.operands]
        if all([name.startswith("C") for name in given]):
            known = self._evaluated(equation, operation, given)
            if sum([each.nbytes for each in known]) <= MOST_CONSTANT:
                for result, elements in zip(equation.results, known, strict=True):
                    self._names[result] = self._constant("C", elements)
                return
        for value in self._drops.get(index, ()):
            self._give_back(value)
        names = [self._name(result) for result in equation.results]
        if operation.inline is not None:
            call = f"{self._constant('K', operation.inline)}({', '.join(given)})"
            target = names[0]
        else:
            kernel = self._constant("K", operation.kernel)
            call = f"{kernel}({', '.join([self._constant('P', equation.primitive), *given])})"
            target = "".join([f"{name}, " for name in names])
        self._lines.append(f"{target} = {call}")
        for name, result in zip(names, equation.results, strict=True):
            # NumPy's functions give scalars where there are no axes.
            if isinstance(result.type, ArrayType) and not result.type.shape:
                self._lines.append(f"{name} = asarray({name})")
        for value in equation.results:
            if value in self._drops.get(index, ()):
                self._give_back(value)

    def _evaluated(
        self, equation: Equation, operation: Operation, given: Sequence[str]
    ) -> list[Elements]:
        """What an operation gives that depends on constants alone."""
        assert operation.kernel is not None
        token = quieten(SILENCE)
        try:
            results = operation.kernel(
                equation.primitive, *[self._constants[name] for name in given]
            )
        finally:
            restore(token)
        return [np.asarray(result) for result in results]

    def _name(self, value: Value) -> str:
        if self._free:
            name = self._free.pop()
        else:
            name = f"s{self._made}"
            self._made += 1
        self._names[value] = name
        return name

    def _give_back(self, value: Value) -> None:
        name = self._names.get(value)
        if name is not None and name.startswith("s"):
            self._free.append(name)
            del self._names[value]

    def function(self, results: Sequence[PlacedType]) -> Run:
        """Everything put together."""
        operands = [f"x{number}" for number in range(len(self._operands))]
        lines = [f"def run({', '.join(operands)}):"]
        for number, operand in enumerate(operands):
            lines += [
                f"    h{number} = {operand}.host",
                f"    if h{number} is None:",
                f"        h{number} = elements_of({operand})",
            ]
        lines += ["    token = quieten(SILENCE)", "    try:"]
        lines += [f"        {line}" for line in self._lines or ["pass"]]
        lines += ["    finally:", "        restore(token)"]
        given = dict(zip(self._operands, operands, strict=True))
        items = [
            self._result(atom, placed, given)
            for atom, placed in zip(self._program.results, results, strict=True)
        ]
        lines.append(f"    return [{', '.join(items)}]")
        namespace = self._constants
        exec(compile("\n".join(lines), "<composed>", "exec"), namespace)
        run: Run = namespace.pop("run")
        return run

    def _result(self, atom: Atom, placed: PlacedType, given: dict[Value, str]) -> str:
        """The array for a result: an operand itself, or one around the elements."""
        if isinstance(atom, Value) and atom in given:
            return given[atom]
        return f"DeviceArray({self._constant('R', placed)}, compact({self._read(atom)}))"
