"""The stub by which type checkers see the members of arrays agrees with what is installed."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import treadle_numpy
from treadle_ir import Array
from treadle_numpy.arrays.foreign import foreign_methods
from treadle_numpy.arrays.table import table

STUBS = Path(treadle_numpy.__file__).parents[1] / "treadle_ir-stubs"
OF_THE_FACADE = {"aval", "to_device"}
# Arrays never change, and type checkers report it; `hash(x)` is a member of `Array`.
UNDECLARED = {*foreign_methods(), "__setitem__", "__delitem__", "__hash__"}


def declared() -> dict[str, ast.FunctionDef]:
    module = ast.parse((STUBS / "tracing" / "installed_operators.pyi").read_text())
    (members,) = [
        node
        for node in module.body
        if isinstance(node, ast.ClassDef) and node.name == "InstalledOperators"
    ]
    return {node.name: node for node in members.body if isinstance(node, ast.FunctionDef)}


def test_names_are_those_of_the_table() -> None:
    assert (STUBS / "py.typed").read_text() == "partial\n"
    installed = table().keys() - UNDECLARED
    assert declared().keys() - OF_THE_FACADE - {"__iter__"} == installed


@pytest.mark.parametrize("name", sorted(declared().keys() - OF_THE_FACADE - {"__iter__"}))
def test_arguments_are_those_of_the_method(name: str) -> None:
    member = getattr(Array, name)
    if isinstance(member, property):
        return
    arguments = declared()[name].args
    if name.startswith("__"):  # their operands are positional
        return
    stub = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    given = inspect.signature(member).parameters
    own = [p.name for p in given.values() if p.kind is not p.VAR_POSITIONAL]
    assert {*own[1:]} - {*stub} <= {"out_sharding"}
    assert {*stub[1:]} <= {*own, "args"}
