from treadle_ir import ArrayType, Program
from treadle_ir.analysis.verifier import verify
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.effectful import DebugCallback, HostFunction
from treadle_ir.primitives.elementwise import Sine
from treadle_ir.rewrite import cse, dce, fold, inline, optimise, simplify
from treadle_ir.tracing.builder import Builder

F32 = ArrayType((), BY_NAME["f32"])
FIRST = DebugCallback(HostFunction(print, ()), ordered=True)
SECOND = DebugCallback(HostFunction(repr, ()), ordered=True)


def with_effects() -> Program:
    inner = Builder()
    a = inner.parameter(F32)
    inner.apply_many(SECOND, a)
    body = inner.program(inner.apply(Sine(), a))
    build = Builder()
    x = build.parameter(F32)
    build.apply_many(FIRST, x)
    build.apply_many(FIRST, x)
    build.apply_many(Call(body), x)
    return build.program(x)


def test_passes_keep_effects_and_their_order() -> None:
    for rewrite in (dce, cse, fold, simplify, inline, optimise):
        program = inline(rewrite(with_effects()))
        verify(program)
        effectful = [each.primitive for each in program.equations if each.effects]
        assert effectful == [FIRST, FIRST, SECOND]


def test_a_tower_of_calls_is_shortened_without_recursion() -> None:
    inner = Builder()
    a, b = inner.parameter(F32), inner.parameter(F32)
    body = inner.program(inner.apply(Sine(), a), inner.apply(Sine(), b))
    for _ in range(3000):
        build = Builder()
        operands = build.parameter(F32), build.parameter(F32)
        body = build.program(*build.apply_many(Call(body), *operands))
    build = Builder()
    x, y = build.parameter(F32), build.parameter(F32)
    first, _ = build.apply_many(Call(body), x, y)
    after = dce(build.program(first))
    verify(after)
    assert len(after.equations[0].operands) == 1
    assert [each.primitive.name for each in inline(after).equations] == ["sine"]
    verify(optimise(after))
