"""Types: what is known about a value before it is computed.

Types are interned: equal types are one object, so that comparing and hashing them (done for each operation
and each argument of a jitted call) is a pointer comparison. They are immutable.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, TypeAlias, TypeVar, final
from weakref import WeakValueDictionary

from treadle_ir.core.dtypes import DType, dtype_name, element_type, tangent_dtype
from treadle_ir.core.sharding import Sharding, braces, names_text, sizes_text
from treadle_ir.core.sizes import Symbolic
from treadle_ir.process.fork import fork_safe_lock

T = TypeVar("T", bound="Type")
Varying: TypeAlias = frozenset[str]
"""The manual axes of a mesh over which a value differs between devices."""

INVARIANT: Final[Varying] = frozenset()


class Type(ABC):
    """What is known about a value before it is computed."""

    __slots__ = ("__weakref__",)
    sharding: Sharding | None = None  # only arrays may have one
    varying: Varying = INVARIANT  # only arrays may vary

    @abstractmethod
    def tangent(self) -> Type:
        """Return the type of this type's tangent vectors (integers: `f0`, a type with one value)."""

    def strong(self) -> Type:
        """Return this type without the weak mark, the sharding and the varying axes, which only arrays may have."""
        return self

    @property
    def unsharded(self) -> Type:
        """This type without a sharding, which only arrays may have."""
        return self

    @property
    def plain(self) -> Type:
        """This type without a sharding and varying axes, which only arrays may have."""
        return self

    def distributed_as(self, other: Type) -> Type:
        """Return this type with the sharding and the varying axes of another, which only arrays may have."""
        return self

    @property
    def nbytes(self) -> int:
        """The size of the data in bytes; only arrays have any."""
        return 0


def _size(n: Any) -> int:
    """Return a size as a Python integer, or unchanged if it is symbolic. Any: anything that acts as an integer."""
    size: int = n if isinstance(n, Symbolic) else int(n)  # type: ignore[assignment]  # it acts as one
    return size


@final
class ArrayType(Type):
    """An array's shape and element type.

    Sizes are integers, or symbolic dimensions that act as such (`treadle_ir.symbolic`).
    `weak` marks a type that comes from a Python scalar: it yields to the other operand in promotion. `sharding` is how
    the array is sharded over the explicit axes of a mesh; None if there is no such mesh, or the compiler decides.
    `varying` names the manual axes of the enclosing `shard_map`s over which the elements differ between devices.
    """

    __slots__ = ("dtype", "ndim", "shape", "sharding", "size", "varying", "weak")

    shape: tuple[int, ...]
    dtype: DType
    weak: bool
    ndim: int
    size: int

    _interned: ClassVar[WeakValueDictionary[tuple[Any, ...], ArrayType]] = WeakValueDictionary()
    _recent: ClassVar[
        dict[tuple[Any, ...], ArrayType]
    ] = {}  # strong, bounded, in front of the weak one
    _lock: ClassVar[threading.Lock] = fork_safe_lock()

    def __new__(
        cls,
        shape: tuple[int, ...],
        dtype: DType,
        weak: bool = False,
        sharding: Sharding | None = None,
        varying: Varying = INVARIANT,
    ) -> ArrayType:
        """Return the one type with this shape, element type, weakness, sharding and varying axes."""
        key: tuple[Any, ...] = (shape, dtype, weak)
        if sharding is not None or varying:
            key = (*key, sharding, varying)
        found = cls._recent.get(key)
        if found is not None:
            return found
        made = cls._intern(
            tuple(map(_size, shape)), element_type(dtype), bool(weak), sharding, varying
        )
        if len(cls._recent) >= 8192:
            cls._recent.clear()
        cls._recent[key] = made  # also of an equal element type that is another object
        return made

    @classmethod
    def _intern(
        cls,
        shape: tuple[int, ...],
        dtype: DType,
        weak: bool,
        sharding: Sharding | None,
        varying: Varying,
    ) -> ArrayType:
        assert sharding is None or len(sharding.dims) == len(shape), "an entry for each axis"
        key = (shape, dtype, weak, sharding, varying)
        with cls._lock:
            found = cls._interned.get(key)
            if found is None:
                found = object.__new__(cls)
                size = 1
                for n in shape:
                    size *= n
                for name, value in zip(
                    ("shape", "dtype", "weak", "sharding", "varying", "ndim", "size"),
                    (*key, len(shape), size),
                    strict=True,
                ):
                    object.__setattr__(found, name, value)
                cls._interned[key] = found
            return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"ArrayType is immutable; `{name}` cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.shape, self.dtype, self.weak)
        plain = self.sharding is None and not self.varying
        return ArrayType, parts if plain else (*parts, self.sharding, self.varying)

    def __copy__(self) -> ArrayType:
        return self

    def __deepcopy__(self, memo: object) -> ArrayType:
        return self

    def __repr__(self) -> str:
        """Return the text format: `f32[2,3]`, `f32[]*` (weak), `f32[8@x,4]` (sharded), `f32[3]{V:x}` (varying)."""
        return self.text()

    def text(self, mesh: str = "") -> str:
        """Return this type in the text format.

        Args:
            mesh: the name that the text has for the mesh of the sharding; empty for the first one.
        """
        sharding = self.sharding
        mark = "*" if self.weak else ""
        varying = f"{{V:{names_text(sorted(self.varying))}}}" if self.varying else ""
        if sharding is None:
            return f"{dtype_name(self.dtype)}[{','.join(map(str, self.shape))}]{mark}{varying}"
        sizes = sizes_text(self.shape, sharding.dims)
        return f"{dtype_name(self.dtype)}[{sizes}]{mark}{braces(sharding, mesh)}{varying}"

    def tangent(self) -> ArrayType:
        """Return this type if it is inexact, else the type with the element type of tangents."""
        found = tangent_dtype(self.dtype)
        return (
            self if found is self.dtype else ArrayType(self.shape, found, False, None, self.varying)
        )

    def strong(self) -> ArrayType:
        """Return this type without the weak mark, the sharding and the varying axes."""
        plain = not self.weak and self.sharding is None and not self.varying
        return self if plain else ArrayType(self.shape, self.dtype)

    @property
    def unsharded(self) -> ArrayType:
        """This type without its sharding."""
        return self if self.sharding is None else self.with_sharding(None)

    @property
    def plain(self) -> ArrayType:
        """This type without its sharding and its varying axes."""
        if self.sharding is None and not self.varying:
            return self
        return ArrayType(self.shape, self.dtype, self.weak)

    def with_sharding(self, sharding: Sharding | None) -> ArrayType:
        """Return this type with another sharding."""
        if sharding is self.sharding:
            return self
        return ArrayType(self.shape, self.dtype, self.weak, sharding, self.varying)

    def with_varying(self, varying: Varying) -> ArrayType:
        """Return this type with other varying axes."""
        if varying == self.varying:
            return self
        return ArrayType(self.shape, self.dtype, self.weak, self.sharding, varying)

    def distributed_as(self, other: Type) -> ArrayType:
        """Return this type with the sharding and the varying axes of another."""
        return self.with_sharding(other.sharding).with_varying(other.varying)

    def with_shape(self, shape: tuple[int, ...]) -> ArrayType:
        """Return this type with another shape, and without a sharding."""
        return ArrayType(shape, self.dtype, self.weak, None, self.varying)

    def without_leading_axis(self) -> ArrayType:
        """Return the type of the elements along the leading axis, as a scan passes them to its body."""
        row = self.with_shape(self.shape[1:])
        sharding = self.sharding
        return row if sharding is None else row.with_sharding(sharding.without_leading_axis())

    def with_dtype(self, dtype: DType) -> ArrayType:
        """Return this type with another element type, and no longer weak."""
        return ArrayType(self.shape, dtype, False, self.sharding, self.varying)

    @property
    def nbytes(self) -> int:
        """The size of the data in bytes."""
        return self.size * self.dtype.itemsize


@final
class TokenType(Type):
    """The type that orders ordered effects; it has no data."""

    __slots__ = ()
    _only: ClassVar[TokenType | None] = None

    def __new__(cls) -> TokenType:
        """Return the one token type."""
        if cls._only is None:
            cls._only = object.__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "token"

    def __reduce__(self) -> tuple[Any, ...]:
        return TokenType, ()

    def tangent(self) -> TokenType:
        """Return this type: the tangent of a token is a token."""
        return self


TOKEN: Final = TokenType()


def plain(types: Sequence[T]) -> tuple[T, ...]:
    """Return types without their shardings and varying axes."""
    for type in types:
        if type.sharding is not None or type.varying:
            return tuple([each.plain for each in types])  # type: ignore[misc]  # of the same class
    return tuple(types)


def unsharded(types: Sequence[T]) -> tuple[T, ...]:
    """Return types without their shardings, for transformed programs, whose shardings the compiler chooses."""
    for type in types:
        if type.sharding is not None:
            return tuple([each.unsharded for each in types])  # type: ignore[misc]  # of the same class
    return tuple(types)
