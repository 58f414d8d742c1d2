"""The rows that declare elementwise operations: each of them makes a class and a function.

    OPERATIONS = declare(__name__, Op("cbrt", Unary, "f", "Cube root.", np.cbrt, "stablehlo.cbrt"))

adds to the module the primitive `Cbrt`, which has no attributes, and the function `cbrt`, which binds it. The package
offers both, and `treadle_ir.ops` the function. Type checkers read the stub of the package, which `scripts/stubs.py`
writes from the source of the rows; so names, families, kinds and documentation have to be literals there.

Other packages derive their own tables from `OPERATIONS`: a row specifies an operation, not its transformations.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from collections.abc import Callable
from keyword import iskeyword
from types import FunctionType
from typing import Any, Final, NamedTuple, cast

from treadle_ir.core.families import Elementwise
from treadle_ir.core.primitive import Attributeless, Primitive
from treadle_ir.core.registry import register
from treadle_ir.primitives.elementwise.families import Binary
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


class Op(NamedTuple):
    """The declaration of an elementwise operation without attributes.

    Attributes:
        name: the mnemonic in the text format, by StableHLO's or CHLO's convention.
        family: its abstract base, which determines the number of operands and the type of the result.
        kinds: the kinds of the element types that it takes, letters of `biufc`.
        doc: what it computes; the docstring of the class and of the function.
        numpy: the equivalent NumPy function, if there is one for all these element types.
        hlo: the equivalent operation of StableHLO or CHLO, if there is one for all these element types.
        domain: an interval in which values and derivatives are finite; examples for tests are drawn from it.
        operands: the names of the function's parameters.
        widens: whether `numpy` returns full bytes for integers of less than a byte.
    """

    name: str
    family: type[Elementwise]
    kinds: str
    doc: str
    numpy: Callable[..., Any] | None = None  # Any: NumPy's arrays
    hlo: str = ""
    domain: tuple[float, float] = (-2.0, 2.0)
    operands: tuple[str, ...] = ()
    widens: bool = False

    @property
    def class_name(self) -> str:
        """`LogPlusOne` of `log_plus_one`."""
        return "".join(map(str.capitalize, self.name.split("_")))

    @property
    def function_name(self) -> str:
        """The mnemonic, with an underscore if it is a Python keyword (`and_`)."""
        return f"{self.name}_" if iskeyword(self.name) else self.name

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the function's parameters, as given or by default."""
        return self.operands or (("x", "y") if Binary in self.family.__mro__ else ("x",))


def declare(module: str, *rows: Op) -> dict[type[Elementwise], Op]:
    """Define the class and the function of each row as names of a module, and return the rows by class."""
    names = vars(sys.modules[module])
    made = {}
    for row in rows:
        cls = register(_class_of(module, row))
        names[cls.__name__] = cls
        names[row.function_name] = _function_of(module, row, cls())
        made[cls] = row
    return made


def _class_of(module: str, row: Op) -> type[Elementwise]:
    name = row.class_name
    members = {
        "__slots__": (),
        "__module__": module,
        "__qualname__": name,
        "__doc__": row.doc,
        "__final__": True,
        "name": row.name,
        "kinds": row.kinds,
    }
    return cast("type[Elementwise]", ABCMeta(name, (Attributeless, row.family), members))


def _function_of(module: str, row: Op, primitive: Primitive) -> FunctionType:
    parameters = row.parameters
    function = _BY_COUNT[len(parameters)](primitive)
    assert isinstance(function, FunctionType)
    name = row.function_name
    # Keyword names of operands, and the name that profilers show, are parts of the code object.
    function.__code__ = function.__code__.replace(
        co_varnames=parameters, co_name=name, co_qualname=name
    )
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = row.doc
    function.__annotations__ = dict.fromkeys(parameters, "Operand") | {"return": "Array"}
    return function


# A function for each number of operands: a variadic function would make a tuple in each call.
def _of_one(primitive: Primitive) -> Callable[..., Array]:
    def function(x: Operand) -> Array:
        return bind(primitive, x)[0]

    return function


def _of_two(primitive: Primitive) -> Callable[..., Array]:
    def function(x: Operand, y: Operand) -> Array:
        return bind(primitive, x, y)[0]

    return function


def _of_three(primitive: Primitive) -> Callable[..., Array]:
    def function(x: Operand, y: Operand, z: Operand) -> Array:
        return bind(primitive, x, y, z)[0]

    return function


def _of_four(primitive: Primitive) -> Callable[..., Array]:
    def function(x: Operand, y: Operand, z: Operand, w: Operand) -> Array:
        return bind(primitive, x, y, z, w)[0]

    return function


_BY_COUNT: Final = {1: _of_one, 2: _of_two, 3: _of_three, 4: _of_four}
