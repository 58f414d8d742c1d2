"""What the Python array API standard asks of a namespace besides its functions: the version, and what it supports.

Source: Python array API standard, 2024.12, "Inspection".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

import numpy as np

from treadle_ir import ArgumentError, DType
from treadle_ir.core import default_dtype, x64_enabled
from treadle_ir.core.dtypes import is_bool, is_complex, is_floating, is_signed, is_unsigned
from treadle_ir.errors import sequence_or_none, shown
from treadle_numpy.operands.arrays import made

__all__ = ["__array_api_version__", "__array_namespace_info__"]

__array_api_version__: Final = "2024.12"
_NAMES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
_WIDE: Final = frozenset(["int64", "uint64", "float64", "complex128"])
_KINDS: Final[dict[str, Callable[[DType], bool]]] = {
    "bool": is_bool,
    "signed integer": is_signed,
    "unsigned integer": is_unsigned,
    "integral": lambda dtype: is_signed(dtype) or is_unsigned(dtype),
    "real floating": is_floating,
    "complex floating": is_complex,
    "numeric": lambda dtype: not is_bool(dtype),
}


@final
class ArrayNamespaceInfo:
    """What the namespace supports, as the array API standard asks for it.

    Example:
        >>> ArrayNamespaceInfo().default_dtypes()["real floating"]
        dtype('float32')
    """

    def capabilities(self) -> dict[str, bool | int]:
        """Return which features that depend on elements are supported also while a function is traced."""
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": 64}

    def default_device(self) -> object:
        """Return the device that new arrays are on."""
        return getattr(made(np.zeros((), np.float32)), "device", None)

    def devices(self) -> list[object]:
        """Return the device that new arrays are on; `treadle.devices()` lists all of a platform."""
        return [self.default_device()]

    def default_dtypes(self, *, device: object = None) -> dict[str, DType]:
        """Return the element types of results for which nothing says another, of the width in force."""
        whole = default_dtype(int)
        return {
            "real floating": default_dtype(float),
            "complex floating": default_dtype(complex),
            "integral": whole,
            "indexing": whole,
        }

    def dtypes(
        self, *, device: object = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the standard's element types of some kinds (all by default), by name; of 64 bits where they are in
        force.

        Raises:
            ArgumentError: there is no such kind.
        """
        wanted: object = (kind,) if isinstance(kind, str) else kind
        kinds = sequence_or_none("dtypes", "kind", wanted)
        if kinds is not None and not all([isinstance(k, str) and k in _KINDS for k in kinds]):
            raise ArgumentError(
                f"dtypes: there is no kind {shown(kind)}", fix=f"kinds are {', '.join(_KINDS)}"
            )
        known = {name: np.dtype(name) for name in _NAMES if x64_enabled() or name not in _WIDE}
        if kinds is None:
            return known
        return {
            name: dtype
            for name, dtype in known.items()
            if any([_KINDS[each](dtype) for each in kinds])
        }


def __array_namespace_info__() -> ArrayNamespaceInfo:  # noqa: N807 - the standard's name
    """Return what the namespace supports: devices, element types, capabilities.

    Example:
        >>> info = __array_namespace_info__()
        >>> sorted(info.dtypes(kind="real floating"))
        ['float32']
    """
    return ArrayNamespaceInfo()
