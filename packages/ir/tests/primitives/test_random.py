import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType, DTypeError, Primitive, ShapeError, ops, stage
from treadle_ir.core import inferred
from treadle_ir.core.dtypes import KEY
from treadle_ir.primitives.compare import Compare
from treadle_ir.primitives.convert import BitcastConvert, Convert
from treadle_ir.primitives.elementwise import Add, Sine
from treadle_ir.primitives.random import (
    RandomBits,
    RandomFoldIn,
    RandomSplit,
    RandomUnwrap,
    RandomWrap,
    Threefry2x32,
)
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.testing.examples import array_type as t
from treadle_ir.text import parse_program


def test_threefry2x32_c1() -> None:
    with pytest.raises(DTypeError, match="must be u32"):
        Threefry2x32().infer(*[t("i32[]")] * 4)


@pytest.mark.parametrize("primitive", [RandomBits((3,)), RandomSplit((3,))])
def test_key_data_c1(primitive: RandomBits | RandomSplit) -> None:
    with pytest.raises(DTypeError, match="must be u32"):
        primitive.infer(t("i32[2]"))
    with pytest.raises(ShapeError, match="2 words"):
        primitive.infer(t("u32[3]"))
    with pytest.raises(ShapeError, match="2 words"):
        primitive.infer(t("u32[]"))


def test_random_bits_c2() -> None:
    with pytest.raises(ArgumentError, match="not 8, 16, 32 or 64"):
        RandomBits((3,), 4)


def test_random_wrap_c1() -> None:
    assert RandomWrap().infer(t("u32[3,2]")) == (t("key<fry>[3]"),)
    with pytest.raises(DTypeError, match="must be u32"):
        RandomWrap().infer(t("u64[2]"))
    with pytest.raises(ShapeError, match="2 words"):
        RandomWrap().infer(t("u32[2,3]"))


def test_random_unwrap_c1() -> None:
    assert RandomUnwrap().infer(t("key<fry>[3]")) == (t("u32[3,2]"),)
    with pytest.raises(DTypeError, match="must be random keys"):
        RandomUnwrap().infer(t("u64[]"))


def test_new_keys_are_of_the_kind_of_the_old_ones() -> None:
    assert RandomSplit((4,)).infer(t("key<fry>[3]")) == (t("key<fry>[3,4]"),)
    assert RandomSplit((4,)).infer(t("u32[3,2]")) == (t("u32[3,4,2]"),)
    assert RandomFoldIn().infer(t("key<fry>[]"), t("u32[]")) == (t("key<fry>[]"),)


@pytest.mark.parametrize(
    ("primitive", "operands"),
    [
        (Add(), ("key<fry>[]", "key<fry>[]")),
        (Sine(), ("key<fry>[2]",)),
        (ReduceAdd((0,)), ("key<fry>[2]",)),
        (Convert(np.dtype(np.uint64)), ("key<fry>[2]",)),
        (BitcastConvert(np.dtype(np.uint64)), ("key<fry>[2]",)),
        (RandomWrap(), ("key<fry>[2]",)),
    ],
)
def test_keys_take_no_part_in_arithmetic(primitive: Primitive, operands: tuple[str, ...]) -> None:
    with pytest.raises(DTypeError, match="random keys") as caught:
        inferred(primitive, tuple(map(t, operands)))
    assert "random.split(key)" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("primitive", [Convert(KEY), BitcastConvert(KEY)])
def test_numbers_do_not_become_keys(primitive: Primitive) -> None:
    with pytest.raises(DTypeError, match="random keys"):
        inferred(primitive, (t("u64[2]"),))


def test_keys_have_no_order() -> None:
    keys = t("key<fry>[2]")
    assert inferred(Compare("eq"), (keys, keys))[0] == (t("bool[2]"),)
    with pytest.raises(DTypeError, match="no order"):
        inferred(Compare("lt"), (keys, keys))


def test_a_type_of_keys_is_one_object() -> None:
    equal = np.dtype([("key<fry>", np.uint64)])
    assert ArrayType((5, 7, 11), equal) is ArrayType((5, 7, 11), KEY)
    assert ArrayType((5, 7, 11), equal).dtype is KEY


def test_literals_of_keys_are_read_as_they_are_written() -> None:
    key = np.array(2**63 + 5, KEY)[()]
    program = stage(lambda x: [ops.select(x, key, key)], t("bool[2]")).program
    text = str(program)
    assert f"{2**63 + 5}:key<fry>" in text
    assert str(parse_program(text)) == text


def test_random_fold_in_c2() -> None:
    with pytest.raises(DTypeError, match="must be u32"):
        RandomFoldIn().infer(t("u32[2]"), t("i32[]"))
    with pytest.raises(ShapeError, match="shape of the keys"):
        RandomFoldIn().infer(t("u32[3,2]"), t("u32[2]"))
