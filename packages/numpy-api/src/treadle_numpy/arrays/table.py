"""The operator table: what is put on arrays.

The operators are there from the start. A method, and what it is built on, is loaded when it is first asked for;
from then on the class has the function itself, at the cost of an ordinary method.
"""

from __future__ import annotations

from types import FunctionType
from typing import Final, final

from treadle_ir import Array
from treadle_ir.errors import import_module
from treadle_ir.tracing import install as install_ports
from treadle_numpy.arrays.foreign import foreign_methods
from treadle_numpy.arrays.operators import operators

_METHODS: Final = {
    "arrays.elements": "clip compress round view",
    "arrays.methods": "astype byteswap clone copy flatten reshape tobytes transpose",
    "numpy.contraction.products": "dot",
    "numpy.manipulation.axes": "swapaxes",
    "numpy.manipulation.diagonals": "diagonal trace",
    "numpy.manipulation.repetition": "repeat",
    "numpy.manipulation.shapes": "ravel squeeze",
    "numpy.reductions.extremes": "max min ptp",
    "numpy.reductions.positions": "argmax argmin",
    "numpy.reductions.running": "cumprod cumsum",
    "numpy.reductions.sums": "prod sum",
    "numpy.reductions.logical": "all any",
    "numpy.searching.choosing": "choose",
    "numpy.searching.finding": "nonzero",
    "numpy.searching.sorted_vectors": "searchsorted",
    "numpy.sorting": "argpartition argsort sort",
    "numpy.statistics.means": "mean",
    "numpy.statistics.spread": "std var",
    "numpy.taking": "take",
    "numpy.ufuncs.parts": "conj conjugate",
}
_PROTOCOLS: Final = {
    "__array_namespace__": ("arrays.protocols", "array_namespace"),
    "__bytes__": ("arrays.protocols", "as_bytes"),
    "__contains__": ("arrays.protocols", "contains"),
    "__matmul__": ("arrays.products", "times"),
    "__reversed__": ("arrays.protocols", "backwards"),
    "__rmatmul__": ("arrays.products", "times_reflected"),
    "__round__": ("arrays.protocols", "rounded"),
}
_PROPERTIES: Final = {
    "T": ("numpy.manipulation.axes", "transpose"),
    "mT": ("numpy.manipulation.axes", "matrix_transpose"),
    "at": ("arrays.at", "Updates"),
    "flat": ("numpy.manipulation.shapes", "ravel"),
    "imag": ("numpy.ufuncs.parts", "imag"),
    "real": ("numpy.ufuncs.parts", "real"),
}


@final
class Deferred:
    """A method or a property that is not loaded yet; it replaces itself when it is first asked for."""

    __slots__ = ("_function", "_is_property", "_module", "_name")

    def __init__(self, name: str, module: str, function: str, is_property: bool) -> None:
        self._name = name
        self._module = module
        self._function = function
        self._is_property = is_property

    def __get__(self, instance: Array | None, owner: type[Array]) -> object:
        function = getattr(import_module(f"treadle_numpy.{self._module}"), self._function)
        member = property(function) if self._is_property else as_method(self._name, function)
        install_ports(operators={self._name: member})
        return member.__get__(instance, owner)


def as_method(name: str, function: FunctionType) -> FunctionType:
    """Return a function of an array as its method: the same code, no call in between, under a name of its own."""
    method = FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    method.__kwdefaults__ = function.__kwdefaults__
    method.__qualname__ = f"Array.{name}"
    method.__doc__ = function.__doc__
    method.__annotations__ = function.__annotations__
    method.__wrapped__ = function  # type: ignore[attr-defined]  # for help() and signature()
    return method


def table() -> dict[str, object]:
    """Return the methods, properties and operators of arrays, by name."""
    members = operators()
    for module, names in _METHODS.items():
        for name in names.split():
            members[name] = Deferred(name, module, name, False)
    for name, (module, function) in _PROTOCOLS.items():
        members[name] = Deferred(name, module, function, False)
    for name, (module, function) in _PROPERTIES.items():
        members[name] = Deferred(name, module, function, True)
    return {**members, **foreign_methods()}


def install() -> None:
    """Put the operators and methods on arrays."""
    install_ports(operators=table())
