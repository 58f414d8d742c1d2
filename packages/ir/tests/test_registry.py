"""A mnemonic means one class, for treadle's primitives as for a user's."""

from __future__ import annotations

from typing import ClassVar, final

import pytest

from treadle_ir import ArgumentError, Attributeless, Type, register
from treadle_ir.primitives.elementwise import Add
from treadle_ir.registry import find_class, find_primitive, mnemonics


def test_primitives_are_found_by_their_mnemonics() -> None:
    assert find_primitive("add") is Add
    assert find_primitive("no such thing") is None
    assert find_class("no such thing") is None
    assert mnemonics() == sorted({*mnemonics()})


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
    with pytest.raises(ArgumentError, match="is no primitive, effect, enumeration or dataclass"):
        register(dict)

    class Nameless(Attributeless):
        def infer(self, *operands: Type) -> tuple[Type, ...]:
            return operands

    with pytest.raises(ArgumentError, match="has no mnemonic"):
        register(Nameless)
