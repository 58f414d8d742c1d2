"""Examples of every primitive: attributes, operand types, and operands drawn inside the domain.

Conformance runs every law over `all_examples()`, so a family whose module lists no example of a primitive is
untested and fails `test_completeness`.
"""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, DType
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.types import ArrayType
from treadle_ir.tracing.array import Operand

Draw: TypeAlias = Callable[[np.random.Generator], list[Operand]]


def array_type(text: str) -> ArrayType:
    """Return `f32[2,3]` as a type."""
    name, _, rest = text.partition("[")
    shape = tuple(int(n) for n in rest.rstrip("]").split(",") if n)
    return ArrayType(shape, BY_NAME[name])


@final
@dataclass(frozen=True)
class Example:
    """A primitive with operands to try it on.

    `domain` is the open interval that floating and complex parts are drawn from, and integers too (rounded);
    `draw` makes the operands itself where an interval cannot say what they must be (indices, distinct keys).
    `differentiable` is False where a derivative does not exist at the sample points (finite differences are
    then not compared), `reversible` is False where there is no reverse mode, `parses` is False where attributes
    are Python functions, which the text format does not hold. `label` tells examples of one primitive apart.
    """

    primitive: Primitive
    types: tuple[ArrayType, ...]
    domain: tuple[float, float] = (-2.0, 2.0)
    draw: Draw | None = None
    differentiable: bool = True
    reversible: bool = True
    parses: bool = True
    label: str = ""

    @property
    def id(self) -> str:
        """A name for the test: the mnemonic, the types and the label."""
        types = ",".join(map(str, self.types))
        return f"{self.primitive.name}({types}){'-' + self.label if self.label else ''}"

    def operands(self, seed: int = 0) -> list[Operand]:
        """Return operands of the types, the same for the same example and seed in every process."""
        random = np.random.default_rng(zlib.crc32(f"{self.id}/{seed}".encode()))
        if self.draw is not None:
            return self.draw(random)
        return [sample(random, type, self.domain) for type in self.types]


def example(primitive: Primitive, *types: str, **options: Any) -> Example:
    """Return an example with its operand types as text: `example(Cumsum(axis=0), "f32[3,4]")`."""
    return Example(primitive, tuple(map(array_type, types)), **options)


def sample(random: np.random.Generator, type: ArrayType, domain: tuple[float, float]) -> Operand:
    """Return an array of a type with elements in an interval."""
    low, high = domain

    def draw(dtype: DType) -> np.ndarray[Any, np.dtype[Any]]:
        return np.asarray(random.uniform(low, high, type.shape)).astype(dtype)

    if dtypes.is_bool(type.dtype):
        return np.asarray(random.integers(0, 2, type.shape)).astype(np.bool_)
    if dtypes.is_key(type.dtype):
        words = random.integers(0, 2**64 - 1, (*type.shape, type.dtype.itemsize // 8), np.uint64)
        return words.view(type.dtype).reshape(type.shape)
    if dtypes.is_complex(type.dtype):
        return np.asarray(draw(np.dtype("f8")) + 1j * draw(np.dtype("f8"))).astype(type.dtype)
    if dtypes.is_unsigned(type.dtype):
        return np.asarray(random.integers(max(0, int(low)), int(high) + 2, type.shape)).astype(
            type.dtype
        )
    if dtypes.is_integer(type.dtype):
        return np.asarray(random.integers(int(low) - 1, int(high) + 2, type.shape)).astype(
            type.dtype
        )
    return draw(type.dtype)


def all_examples() -> Iterator[Example]:
    """Every family's examples, in the order of the families' names."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        yield from importlib.import_module(f"{__name__}.{module.name}").EXAMPLES
