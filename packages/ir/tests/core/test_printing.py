import os
import subprocess
import sys

import numpy as np
import pytest

from treadle_ir import ArrayType, Literal, Value, ops, stage
from treadle_ir.core import Callback, dtypes
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.core.printing import literal_text, print_equation, print_program, value_text
from treadle_ir.core.program import Equation, Program
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.elementwise import Add, Multiply, Sine
from treadle_ir.text.attributes import read_scalar
from treadle_ir.tracing.builder import Builder

F32 = BY_NAME["f32"]


def test_a_program_is_printed_in_order_with_types() -> None:
    build = Builder()
    x = build.parameter(ArrayType((2, 3), F32))
    y = build.parameter(ArrayType((3, 4), F32))
    z = build.apply(DotGeneral(((1,), (0,))), x, y)
    w = build.apply(Multiply(), z, build.literal(1.5, ArrayType((), F32, weak=True)))
    assert print_program(build.program(w, x)) == (
        "treadle 1\n"
        "\n"
        "program @main(%0: f32[2,3], %1: f32[3,4]) -> (f32[2,4], f32[2,3]) {\n"
        "  %2: f32[2,4] = dot_general %0, %1 {contracting=((1,), (0,))}\n"
        "  %3: f32[2,4] = multiply %2, 1.5:f32*\n"
        "  return %3, %0\n"
        "}\n"
    )


def test_nested_programs_are_printed_once_and_before_their_use() -> None:
    inner = Builder()
    p = inner.parameter(ArrayType((), F32))
    body = inner.program(inner.apply(Sine(), p))
    build = Builder()
    x = build.parameter(ArrayType((), F32))
    y = build.apply(Call(body), build.apply(Call(body, "again"), x))
    text = print_program(build.program(y))
    assert text.count("program @p0(") == 1
    assert text.index("@p0(") < text.index("@main(")
    assert 'call %0 {program=@p0, label="again"}' in text
    assert "call %1 {program=@p0}\n" in text


@pytest.mark.parametrize(
    ("bits", "name", "text"),
    [
        (0x7FC00000, "f32", "nan"),
        (0xFFC00000, "f32", "nan(0xffc00000)"),
        (0x7FC00001, "f32", "nan(0x7fc00001)"),
        (0x80000000, "f32", "-0.0"),
        (0x3DCCCCCD, "f32", "0.1"),
        (0x7F800000, "f32", "inf"),
        (0xFF800000, "f32", "-inf"),
        (0x00000001, "f32", "1e-45"),
        (0x3E20, "bf16", "0.156"),
        (0x0001, "f16", "6e-08"),
        (0x3FB999999999999A, "f64", "0.1"),
    ],
)
def test_floating_literals_are_exact(bits: int, name: str, text: str) -> None:
    dtype = BY_NAME[name]
    value = np.frombuffer(bits.to_bytes(dtype.itemsize, "little"), dtype)[0]
    literal = Literal(value, ArrayType((), dtype))
    assert literal_text(literal) == f"{text}:{name}"
    assert read_scalar(text, dtype).tobytes() == value.tobytes()


@pytest.mark.parametrize("name", ["f16", "bf16", "f8e4m3fn", "f8e5m2"])
def test_every_small_float_reads_back_to_the_bit(name: str) -> None:
    dtype = BY_NAME[name]
    count = 1 << (8 * dtype.itemsize)
    step = 1 if count < 1000 else 37
    for bits in range(0, count, step):
        value = np.frombuffer(bits.to_bytes(dtype.itemsize, "little"), dtype)[0]
        text, _, _ = literal_text(Literal(value, ArrayType((), dtype))).partition(":")
        assert read_scalar(text, dtype).tobytes() == value.tobytes(), text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.complex64(complex(1.0, -0.0)), "(1.0, -0.0):c64"),
        (np.int64(-(2**63)), "-9223372036854775808:i64"),
        (np.uint64(2**64 - 1), "18446744073709551615:u64"),
        (np.bool_(True), "True:bool"),
        (BY_NAME["i4"].type(-8), "-8:i4"),
        (np.zeros((), dtypes.float0)[()], "zero:f0"),
    ],
)
def test_other_literals_are_exact(value: np.generic, text: str) -> None:
    dtype = np.dtype(value.dtype)
    assert literal_text(Literal(value, ArrayType((), dtype))) == text
    assert read_scalar(text.rpartition(":")[0], dtype).tobytes() == value.tobytes()


def test_locations_are_printed_on_request() -> None:
    program = stage(lambda x: [ops.sine(x)], ArrayType((), F32)).program
    assert "@" not in print_program(program).replace("@main", "")
    assert (
        f'test_printing.py":{test_locations_are_printed_on_request.__code__.co_firstlineno + 1}'
        in print_program(program, locations=True)
    )


def test_functions_are_printed_as_opaque_by_name_never_by_address() -> None:
    def rule() -> None: ...

    assert value_text(rule, {}) == (
        "<opaque test_functions_are_printed_as_opaque_by_name_never_by_address._locals_.rule>"
    )
    assert value_text(object(), {}) == "<opaque object>"


def test_one_equation_of_a_broken_program_can_be_printed() -> None:
    stray, result = Value(ArrayType((), F32)), Value(ArrayType((), F32))
    program = Program((), (Equation(Sine(), (stray,), (result,), frozenset()),), (result,))
    assert print_equation(program, 0) == "%0: f32[] = sine %undefined"


def test_effects_are_printed() -> None:
    value = Value(ArrayType((), F32))
    equation = Equation(Add(), (value, value), (), frozenset({Callback()}))
    assert print_equation(Program((value,), (equation,), ()), 0) == "add %0, %0 !callback"


def test_the_text_is_the_same_in_every_process() -> None:
    code = (
        "from treadle_ir.testing.examples import all_examples\n"
        "from treadle_ir.tracing.builder import Builder\n"
        "from treadle_ir.text import print_program\n"
        "import zlib\n"
        "total = 0\n"
        "for each in list(all_examples())[::7]:\n"
        "    build = Builder()\n"
        "    results = build.apply_many(each.primitive, *map(build.parameter, each.types))\n"
        "    total = zlib.crc32(print_program(build.program(*results)).encode(), total)\n"
        "print(total)\n"
    )
    path = os.pathsep.join(sys.path)
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
