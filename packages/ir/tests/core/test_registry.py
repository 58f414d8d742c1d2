"""A mnemonic means one class, for treadle's primitives as for a user's."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from typing import ClassVar, final

import pytest

from treadle_ir import ArgumentError, Attributeless, Type, primitives, register
from treadle_ir.core.registry import find_class, find_primitive, mnemonics
from treadle_ir.primitives.elementwise import Add


def test_primitives_are_found_by_their_mnemonics() -> None:
    assert find_primitive("add") is Add
    assert find_primitive("no such thing") is None
    assert find_class("no such thing") is None
    assert mnemonics() == sorted({*mnemonics()})


def test_unused_families_are_found() -> None:
    code = """
import sys
from treadle_ir.core.registry import find_class, find_primitive, mnemonics
assert "treadle_ir.primitives.control" not in sys.modules
{}
assert "treadle_ir.primitives.control" in sys.modules
"""
    for statement in (
        "assert find_primitive('while').name == 'while'",
        "assert 'cholesky' in mnemonics()",
    ):
        subprocess.run([sys.executable, "-c", code.format(statement)], check=True)


def test_names_of_unused_families_are_taken() -> None:
    code = """
from typing import ClassVar, final
from treadle_ir import ArgumentError, Attributeless, register
try:
    @register
    @final
    class Mine(Attributeless):
        name: ClassVar[str] = "cholesky"
        def infer(self, *operands): return operands
except ArgumentError as error:
    assert "a primitive named `cholesky` is registered already" in str(error), error
else:
    raise AssertionError("it was registered")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_families_are_listed() -> None:
    there = {module.name for module in pkgutil.iter_modules(primitives.__path__)}
    assert there == {*primitives.FAMILIES}


def test_a_second_primitive_of_a_name_is_refused_and_the_first_stays() -> None:
    with pytest.raises(ArgumentError, match="a primitive named `add` is registered already"):

        @register
        @final
        class Mine(Attributeless):
            name: ClassVar[str] = "add"

            def infer(self, *operands: Type) -> tuple[Type, ...]:
                return operands

    assert find_primitive("add") is Add


def test_a_cell_of_a_notebook_may_run_again() -> None:
    def cell() -> type:
        @register
        @final
        class Again(Attributeless):
            name: ClassVar[str] = "test_again"

            def infer(self, *operands: Type) -> tuple[Type, ...]:
                return operands

        return Again

    cell()
    assert cell() is find_primitive("test_again")


def test_what_cannot_be_in_a_program_is_refused() -> None:
    with pytest.raises(ArgumentError, match="is not a primitive, effect, enumeration or dataclass"):
        register(dict)

    class Nameless(Attributeless):
        def infer(self, *operands: Type) -> tuple[Type, ...]:
            return operands

    with pytest.raises(ArgumentError, match="has no mnemonic"):
        register(Nameless)
