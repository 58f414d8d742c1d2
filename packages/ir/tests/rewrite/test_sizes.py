"""Programs with numbers for their names: the same program as staging for those numbers gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, ParseError, ShapeError, equal_programs, ops, stage
from treadle_ir.analysis.verifier import verify
from treadle_ir.core import dtypes
from treadle_ir.errors import SymbolicSizeError
from treadle_ir.primitives.control import Scan
from treadle_ir.rewrite.sizes import substitute
from treadle_ir.symbolic import SymbolicScope, read_shape
from treadle_ir.text import parse_program, print_program
from treadle_ir.tracing.trace import bind

F32 = dtypes.BY_NAME["f32"]
SCOPE = SymbolicScope(["b >= 2"])


def _type(text: str, scope: SymbolicScope = SCOPE) -> ArrayType:
    return ArrayType(read_shape(text, scope), F32)


def _function(x: Any, y: Any) -> Any:
    n, m = x.shape
    flat = ops.reshape(x, shape=(n * m,))
    wide = ops.broadcast_in_dim(y, shape=(n, m), dimensions=(1,))
    count = ops.convert(ops.dimension_size(n), dtype=F32)
    inner = stage(lambda c, r: [ops.add(c, r), ops.multiply(c, r)], *[ArrayType((m,), F32)] * 2)
    total, rows = bind(Scan(inner.program, n, carries=1), y, x)
    return [
        flat,
        ops.divide(ops.add(x, wide), ops.broadcast_in_dim(count, shape=(n, m), dimensions=())),
        total,
        rows,
    ]


def _program(n: Any, m: Any) -> Any:
    return stage(_function, ArrayType((n, m), F32), ArrayType((m,), F32)).program


@pytest.mark.parametrize("sizes", [(2, 3), (4, 1)])
def test_is_the_program_for_these_sizes(sizes: tuple[int, int]) -> None:
    b, m = read_shape("b, m + 1", SCOPE)
    program = _program(b, m)
    verify(program)
    known = substitute(program, {"b": sizes[0], "m": sizes[1]}, SymbolicScope())
    verify(known)
    assert equal_programs(known, _program(sizes[0], sizes[1] + 1))


def test_to_other_symbolic_sizes() -> None:
    b, m = read_shape("b, m", SCOPE)
    k, j = read_shape("2*k, j", SymbolicScope())
    found = substitute(_program(b, m), {"b": k, "m": j}, k.scope)
    assert equal_programs(found, _program(k, j))


def test_sizes_that_do_not_fit() -> None:
    (b,) = read_shape("b", SCOPE)
    program = stage(lambda x: [ops.slice(x, start=(1,), limit=(2,))], ArrayType((b,), F32)).program
    with pytest.raises(ShapeError, match="slice"):
        substitute(program, {"b": 1}, SymbolicScope())


def test_text() -> None:
    b, m = read_shape("b, max(m, 3)", SCOPE)
    program = _program(b, m)
    text = print_program(program)
    assert 'where "b >= 2"' in text.splitlines()
    assert "shape=([b*max(m, 3)],)" in text
    again = parse_program(text)
    assert equal_programs(again, program)
    assert print_program(again) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("program @main(%0: f32[b,]) {\n return %0\n}", None),
        ("program @main(%0: f32[b c]) {\n return %0\n}", "cannot stand"),
        ('where "b"\nprogram @main(%0: f32[b]) {\n return %0\n}', "is missing"),
        ('where "b >= 2", "b <= 1"\nprogram @main(%0: f32[b]) {\n return %0\n}', "never hold"),
        ("where\nprogram @main(%0: f32[b]) {\n return %0\n}", "a constraint such as"),
        ("program @main(%0: f32[b]) {\n %1: f32[c] = sine %0\n return %1\n}", "gives f32[b]"),
        (
            "program @main() {\n %1: i32[b] = iota {shape=([b, c],), dtype=i32, dimension=0}\n return %1\n}",
            "is not one size",
        ),
    ],
)
def test_damaged_text(text: str, says: str | None) -> None:
    if says is None:
        assert parse_program(f"treadle 1\n{text}").parameter_types == (_type("b", SymbolicScope()),)
        return
    with pytest.raises(ParseError) as caught:
        parse_program(f"treadle 1\n{text}")
    assert says in str(caught.value)


def test_dimension_size_has_no_value_before() -> None:
    (b,) = read_shape("b", SCOPE)
    with pytest.raises(SymbolicSizeError, match="symbolic dimension b"):
        ops.dimension_size(b)
    assert int(np.asarray(ops.dimension_size(5))) == 5
