"""The names and places of operations: `loc("jit(f)/jvp(layer)/sine"("file.py":3:0))`.

Names contain the transformations: `jit(f)/jvp(layer)/while/body`, `jit(f)/transpose(jvp(jit(g)))`.
"""

from __future__ import annotations

from typing import Final, final

from treadle_compiler.types import string_text
from treadle_ir import ControlFlow, Primitive, Program
from treadle_ir.errors import Source, within
from treadle_ir.primitives.call import Call, Checkpoint


@final
class Locations:
    """What is written of where operations come from.

    With `places`, their places in the user's code. With `named`, the name of the whole function, their names contain
    the transformations and calls around them; without, the user's named scopes only.
    """

    def __init__(self, places: bool, named: str | None) -> None:
        self.places: Final = places
        self.named: Final = named
        self.always: Final = places or named is not None  # else only within named scopes
        self._parts: dict[int, str] = {}  # `body` and the like, by id of a program within a loop

    def within(self, scope: str, program: Program) -> str:
        """Return the scope of a program's operations, from the scope of the operation that contains the program."""
        part = self._parts.get(id(program))
        return f"{scope}/{part}" if part else scope

    def scope(self, outer: str, source: Source, primitive: Primitive) -> str:
        """Return the scope of an operation, and note what the programs in it are called."""
        if self.named is None:
            return f"{outer}/{source.scope}" if outer and source.scope else outer or source.scope
        path = f"{outer}/{source.path}" if outer and source.path else outer or source.path
        match primitive:
            case Call():
                path = within(path, f"jit({primitive.label})")
            case Checkpoint():
                path = f"{path}/checkpoint"
            case ControlFlow():
                path = self._of_control_flow(path, primitive)
        return path.removeprefix("/")

    def _of_control_flow(self, path: str, primitive: Primitive) -> str:
        from treadle_ir.primitives.control import (  # noqa: PLC0415 - many programs have none
            Case,
            Scan,
            While,
        )

        match primitive:
            case While():
                path = f"{path}/while"
                self._parts |= {id(primitive.cond): "cond", id(primitive.body): "body"}
            case Scan():
                path = f"{path}/while"
                self._parts[id(primitive.body)] = "body"
            case Case():
                path = f"{path}/cond"
                for number, branch in enumerate(primitive.branches):
                    self._parts[id(branch)] = f"branch_{number}_fun"
        return path

    def text(self, scope: str, source: Source, primitive: Primitive) -> str:
        """Return an operation's name, with its scopes, and its place if places are written."""
        place = _place(source) if self.places else ""
        if scope:
            # An operation that contains programs is named by its scope, as all that is in them.
            whole = self.named is not None and bool(primitive.programs())
            name = string_text(scope if whole else f"{scope}/{primitive.name}")
            place = f"{name}({place})" if place else name
        return f" loc({place})" if place else ""


def _place(source: Source) -> str:
    """Return a place, and the places that called it where they are remembered; an empty string where there is none."""
    found = ""
    for each in reversed([source, *source.callers]):
        if each.line:
            own = f"{string_text(each.file)}:{each.line}:0"
            found = f"callsite({own} at {found})" if found else own
    return found
