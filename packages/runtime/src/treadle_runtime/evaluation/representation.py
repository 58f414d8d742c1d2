"""How generated code represents each value: as an array, a NumPy scalar, or a lazy broadcast.

A value with one element may be a NumPy scalar: Python's operators on scalars give the same bits as ufuncs, in a tenth
of the time. A broadcast value is represented by its source until a kernel needs all of its elements: arithmetic on
arrays broadcasts implicitly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

import numpy as np

from treadle_ir import ArrayType, Atom, Equation, Literal, Primitive, Value
from treadle_ir.core import dtypes
from treadle_ir.primitives import convert as c, elementwise as e, shape as s
from treadle_ir.primitives.call import StopGradient
from treadle_ir.primitives.compare import Compare, Select
from treadle_ir.primitives.indexing import DynamicSlice
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_runtime.arrays.array import Elements

Kernel = Callable[..., Elements]

_FLOATS: Final = "fd"  # NumPy's letters
_SIGNED: Final = "bhilq"
_INTEGERS: Final = _SIGNED + "BHILQ"
_ALL: Final = "?" + _FLOATS + _INTEGERS
_SYMBOLS: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# The expression of an operation on NumPy scalars, and the operand types for which it agrees with the kernel.
_SCALAR: Final[Mapping[type[Primitive], tuple[str, str]]] = {
    Compare: ("{} {symbol} {}", "?" + _FLOATS + _INTEGERS),
    Select: ("({1} if {0} else {2})", "?" + _FLOATS + _INTEGERS),
    e.Abs: ("abs({})", _FLOATS),
    e.Add: ("{} + {}", _FLOATS + _INTEGERS),
    e.And: ("{} & {}", "?" + _INTEGERS),
    e.Divide: ("{} / {}", _FLOATS),
    e.Maximum: ("max({}, {})", _INTEGERS),
    e.Minimum: ("min({}, {})", _INTEGERS),
    e.Multiply: ("{} * {}", _FLOATS + _INTEGERS),
    e.Negate: ("-{}", _FLOATS + _SIGNED),
    e.Not: ("~{}", "?" + _INTEGERS),
    e.Or: ("{} | {}", "?" + _INTEGERS),
    e.Square: ("{0} * {0}", _FLOATS),
    e.Subtract: ("{} - {}", _FLOATS + _INTEGERS),
    e.Xor: ("{} ^ {}", "?" + _INTEGERS),
}
# Ufuncs that give the same bits whether NumPy broadcasts their operands or they were broadcast explicitly.
_BROADCASTING: Final = frozenset(
    [Compare, e.Add, e.And, e.Divide, e.Multiply, e.Or, e.Subtract, e.Xor]
)

# Operations that may return all elements of their first operand, possibly with a different shape.
_FREE: Final = (s.BroadcastInDim, s.Reshape, s.Slice, s.Pad, c.Convert, StopGradient)

# Operations whose kernels, which are not ufuncs, accept and return arrays of any shape.
_POINTWISE: Final = frozenset([e.Rsqrt, e.Sign])


def array_type(atom: Atom) -> ArrayType:
    """Return the type of a value or literal of a program whose values are all arrays."""
    assert isinstance(atom.type, ArrayType), "a program without effects has no tokens"
    return atom.type


@final
class Representations:
    """The representations of values, and the lines that create them."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        # The targets of each line, and its expression.
        self.written: list[tuple[str, str]] = []
        self._made = 0
        self._constants: dict[Value, Elements] = {}
        # values with the elements of another value, possibly with a different shape
        self._same: dict[Value, Atom] = {}
        self._numbers: dict[Value, str] = {}
        # names with their shapes, which broadcast
        self._arrays: dict[Value, tuple[str, tuple[int, ...]]] = {}
        self._points: dict[Value, str] = {}  # scalars, as arrays without axes
        self._lazy: dict[Value, tuple[Kernel, Atom]] = {}  # broadcasts that have not been written
        self._aligned: dict[
            Value, tuple[int, ...]
        ] = {}  # the shapes in which their sources broadcast
        self._masks: dict[
            Value, tuple[Kernel, Atom]
        ] = {}  # conversions of booleans not written yet

    # ---- writing

    def name(self, letter: str, value: Any) -> str:
        """Return a new name for a constant of the function."""
        name = f"{letter}{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def lines(self, text: str, count: int) -> list[str]:
        """Write a line that unpacks `count` results of a call, and return their names."""
        names = [f"v{self._made + number}" for number in range(count)]
        self._made += count
        self.written.append(("".join([f"{name}, " for name in names]).rstrip(), text))
        return names

    def line(self, text: str) -> str:
        """Write a line that assigns an expression, and return the name."""
        name = f"v{self._made}"
        self._made += 1
        self.written.append((name, text))
        return name

    # ---- defining values

    def constant(self, value: Value, elements: Elements) -> None:
        """Define a value as a constant."""
        self._constants[value] = elements

    def array(self, value: Value, name: str) -> None:
        """Define a value as an array with the shape of its type."""
        self._arrays[value] = (name, array_type(value).shape)

    def number(self, value: Value, text: str) -> None:
        """Define a value of one element by an expression that gives a NumPy scalar."""
        self._numbers[value] = self.line(text)

    def _root(self, atom: Atom) -> Atom:
        while isinstance(atom, Value) and atom in self._same:
            atom = self._same[atom]
        return atom

    def known(self, atom: Atom) -> Elements | None:
        """Return the elements of a constant; None for any other atom."""
        if isinstance(atom, Literal):
            return np.asarray(atom.value, atom.type.dtype)
        return self._constants.get(atom)

    # ---- reading operands

    def as_array(self, atom: Atom) -> str:
        """Return the name of an array with the shape of the type."""
        shape = array_type(atom).shape
        root = self._root(atom)
        known = self.known(root)
        if known is not None:
            return self.name("C", known.reshape(shape))
        assert isinstance(root, Value)
        if root in self._lazy:
            self._made_of(root, *self._lazy.pop(root))
        name, held = self._array(root)
        return name if held == shape else f"{name}.reshape({shape})"

    def _made_of(self, root: Value, kernel: Kernel, source: Atom) -> None:
        text = f"{self.name('K', kernel)}({self.as_array(source)})"
        self._arrays[root] = (self.line(text), array_type(root).shape)

    def _array(self, root: Value) -> tuple[str, tuple[int, ...]]:
        """Return the name of an array with the elements of a value, and its shape."""
        if root in self._masks:
            self._made_of(root, *self._masks.pop(root))
        if root not in self._arrays:
            if root not in self._points:
                self._points[root] = self.line(f"asarray({self._numbers[root]})")
            self._arrays[root] = (self._points[root], ())
        return self._arrays[root]

    def _as_number(self, atom: Atom) -> str:
        """Return the name of the only element, as a NumPy scalar."""
        root = self._root(atom)
        known = self.known(root)
        if known is not None:
            return self.name("C", known.reshape(())[()])
        assert isinstance(root, Value)
        if root not in self._numbers:
            name, held = self._array(root)
            place = ", ".join(["0"] * len(held)) or "()"
            self._numbers[root] = self.line(f"{name}[{place}]")
        return self._numbers[root]

    def _broadcastable(self, atom: Atom) -> tuple[str, tuple[int, ...]]:
        """Return the name of an array that broadcasts to the shape of the type, and its own shape."""
        root = self._root(atom)
        known = self.known(root)
        if known is not None:
            return self.name("C", known), known.shape
        assert isinstance(root, Value)
        if array_type(root).size == 1 and dtypes.letter(array_type(root).dtype) in _ALL:
            # without axes: broadcasting axes of size 1 takes NumPy three times as long
            if root not in self._points:
                name, held = self._arrays.get(root, ("", (1,)))
                text = f"asarray({self._as_number(root)})"
                self._points[root] = self.line(text) if held else name
            return self._points[root], ()
        if root not in self._lazy:
            return self._array(root)
        source = self._lazy[root][1]
        name, shape = self._broadcastable(source)
        aligned = self._aligned[root]
        if (
            array_type(source).size == 1
            or array_type(source).shape == aligned[-len(array_type(source).shape) :]
        ):
            return name, shape
        return f"{self.as_array(source)}.reshape({aligned})", aligned

    # ---- operations

    def is_free(self, equation: Equation, kernel: Kernel) -> bool:
        """Return whether nothing has to be written for an operation, since its operand represents the result."""
        primitive = equation.primitive
        if isinstance(primitive, Compare):
            return self._is_mask(primitive, equation)
        if not isinstance(primitive, _FREE):
            return False
        (source, *_), (result,) = equation.operands, equation.results
        have, want = array_type(source), array_type(result)
        if have.dtype != want.dtype:
            if have.dtype.char == "?" and have.size > 1:
                self._masks[result] = (kernel, source)
                return True
            return False
        if have.shape == want.shape or (
            have.size == want.size == 1 and dtypes.letter(have.dtype) in _ALL
        ):
            self._same[result] = source
            return True
        if isinstance(primitive, s.BroadcastInDim):
            self._lazy[result] = (kernel, source)
            self._aligned[result] = _aligned(primitive, have)
            return True
        return False

    def _is_mask(self, primitive: Compare, equation: Equation) -> bool:
        """Return whether an operation is `mask != False`, and then represent the result by the mask."""
        (first, second), (result,) = equation.operands, equation.results
        known = self.known(second)
        if primitive.direction != "ne" or known is None or known.dtype.char != "?" or known.any():
            return False
        if array_type(first).shape != array_type(result).shape:
            return False
        self._same[result] = first
        return True

    def _counted(self, equation: Equation) -> str | None:
        """Return the sum of all elements of converted booleans as a count; None for other operations."""
        (source,), (result,) = equation.operands, equation.results
        root, type = self._root(source), array_type(result)
        exact = 1 << 24 if type.dtype.char in _FLOATS else 1 << 31
        if root not in self._masks or type.shape or type.dtype.char not in "fdilq":
            return None
        if array_type(source).size >= exact:
            return None
        assert isinstance(root, Value)
        mask = self.as_array(self._masks[root][1])
        count, number = self.name("K", np.count_nonzero), self.name("K", type.dtype.type)
        return f"{number}({count}({mask}))"

    def _of_numbers(self, equation: Equation, kernel: Kernel) -> str | None:
        """Return an operation on single elements as an expression of NumPy scalars; None for other operations."""
        primitive = equation.primitive
        types = [array_type(atom) for atom in (*equation.operands, *equation.results)]
        if any([type.size != 1 for type in types]):
            return None
        # The type of the last operand: the first operand of a selection is a boolean.
        kind = dtypes.letter(types[-2].dtype)
        template, kinds = _SCALAR.get(type(primitive), ("", ""))
        if kind in kinds and template:
            symbol = _SYMBOLS[primitive.direction] if isinstance(primitive, Compare) else ""
            return template.format(*map(self._as_number, equation.operands), symbol=symbol)
        if kind in _ALL and (isinstance(kernel, np.ufunc) or type(primitive) in _POINTWISE):
            given = [self._broadcastable(atom) for atom in equation.operands]
            if not any([shape for _, shape in given]):
                return self._applied(kernel, [name for name, _ in given])
        return None

    def call(self, equation: Equation, kernel: Kernel) -> tuple[str, bool]:
        """Return an operation as an expression, and whether it gives a NumPy scalar; otherwise it gives an array."""
        counted = isinstance(equation.primitive, ReduceAdd)
        text = self._counted(equation) if counted else self._of_numbers(equation, kernel)
        if text is not None:
            return text, True
        primitive, operands, (result,) = equation.primitive, equation.operands, equation.results
        if (
            type(primitive) in _BROADCASTING
            and isinstance(kernel, np.ufunc)
            and array_type(result).shape  # without axes, a ufunc returns a scalar
            and array_type(operands[0]).dtype.kind in "biuf"
        ):
            given = [self._broadcastable(atom) for atom in operands]
            if np.broadcast_shapes(*[shape for _, shape in given]) == array_type(result).shape:
                return self._applied(kernel, [name for name, _ in given]), False
        if isinstance(primitive, Select):
            shapes = [array_type(atom).shape for atom in operands]
            if not shapes[0] and shapes[1] == shapes[2]:
                mask, x, y = self._as_number(operands[0]), *map(self.as_array, operands[1:])
                return f"({x} if {mask} else {y})", False
        if isinstance(primitive, DynamicSlice):
            first, *starts = operands
            names = [self.as_array(first), *map(self._as_number, starts)]
            return self._applied(kernel, names), False
        text = self._applied(kernel, [self.as_array(atom) for atom in operands])
        if array_type(result).shape:
            return text, False
        if dtypes.letter(array_type(result).dtype) in _ALL:
            return f"{text}[()]", True
        return f"asarray({text})", False

    def _applied(self, kernel: Kernel, names: Sequence[str]) -> str:
        return f"{self.name('K', kernel)}({', '.join(names)})"


def _aligned(primitive: s.BroadcastInDim, source: ArrayType) -> tuple[int, ...]:
    """Return the shape in which NumPy broadcasts the source like `primitive`."""
    shape = [1] * len(primitive.shape)
    for size, dimension in zip(source.shape, primitive.dimensions, strict=True):
        shape[dimension] = size
    return tuple(shape)
