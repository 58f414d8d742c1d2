"""Programs in pickles: a check of the users' functions that they hold.

Pickle writes a function as the name by which it is imported. A derivative rule or a callback that was written within
another function has no such name; the error names the function, where pickle would name a code object.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import partial
from types import FunctionType

from treadle_ir.core.equality import field_names
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.errors.kinds import UnsupportedError


def check_picklable(program: Program) -> None:
    """Check that the functions in the attributes of a program's operations can be imported by their names.

    Nested programs are checked when they are pickled themselves.

    Raises:
        UnsupportedError: a function cannot be imported.
    """
    for index, equation in enumerate(program.equations):
        for function in _functions(equation.primitive):
            if not _is_importable(function):
                place = equation.source.show()
                raise UnsupportedError(
                    f"a program cannot be pickled: equation {index}, {equation.primitive.name}, holds the function "
                    f"`{function.__qualname__}`, which cannot be imported by its name",
                    where=place,
                    fix="define the function at the top level of a module, or export what is compiled: "
                    "treadle.export.export(treadle.jit(f))(...)",
                )


def _functions(primitive: Primitive) -> Iterator[FunctionType]:
    stack: list[object] = [primitive]
    while stack:
        value = stack.pop()
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, (tuple, list)):
            stack += value
        elif isinstance(value, partial):
            stack += [value.func, *value.args, *value.keywords.values()]
        elif is_dataclass(value) and not isinstance(value, (type, Program)):
            stack += [getattr(value, name) for name in field_names(type(value))]


def _is_importable(function: FunctionType) -> bool:
    found: object = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function
