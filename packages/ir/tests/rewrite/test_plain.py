from typing import final

from treadle_ir import ArrayType, Program, bind, ops, stage
from treadle_ir.analysis.verifier import verify
from treadle_ir.core import dtypes
from treadle_ir.primitives.call import (
    Call,
    Checkpoint,
    CustomJvpStaged,
    CustomVjpRule,
    CustomVjpStaged,
    DeferredJvp,
)
from treadle_ir.primitives.custom_vmap import CustomBatching, CustomVmapStaged
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.process import frozen
from treadle_ir.rewrite import plain
from treadle_ir.text import parse_program

X = ArrayType((3,), dtypes.BY_NAME["f32"])
INNER = stage(lambda x: [ops.sine(x)], X).program


@final
@frozen(eq=False)
class Everything:
    def __call__(self, *arguments: object) -> bool:
        return True


def _never(*arguments: object) -> object:
    raise AssertionError("no rule is called")


def _ruled() -> Program:
    rules = (
        CustomJvpStaged(INNER, "jvp", DeferredJvp(_never, 0)),  # type: ignore[arg-type]
        CustomVjpStaged(INNER, "vjp", CustomVjpRule(_never)),  # type: ignore[arg-type]
        CustomVmapStaged(INNER, "vmap", CustomBatching(_never)),  # type: ignore[arg-type]
        CustomPartitioning(INNER, "parts", Everything()),  # type: ignore[arg-type]
        Checkpoint(INNER, policy=Everything(), recomputes=True),  # type: ignore[arg-type]
    )

    def function(x: object) -> list[object]:
        for rule in rules:
            (x,) = bind(rule, x)  # type: ignore[arg-type]
        return [x]

    return stage(function, X).program  # type: ignore[arg-type]


def test_rules_are_left_behind() -> None:
    program = _ruled()
    assert "<opaque" in str(program)
    found = plain(program)
    verify(found)
    assert "<opaque" not in str(found)
    assert str(parse_program(str(found))) == str(found)
    primitives = [equation.primitive for equation in found.equations]
    assert primitives[:4] == [Call(INNER, label) for label in ("jvp", "vjp", "vmap", "parts")]
    assert primitives[4] == Checkpoint(INNER, recomputes=True)


def test_also_in_nested_programs() -> None:
    program = _ruled()
    outer = stage(lambda x: bind(Call(program, "outer"), x), X).program
    assert "<opaque" not in str(plain(outer))


def test_nothing_to_do() -> None:
    assert plain(INNER) is INNER
