import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.primitives.random import RandomBits, RandomFoldIn, RandomSplit, Threefry2x32
from treadle_ir.testing.examples import array_type as t


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


def test_random_fold_in_c2() -> None:
    with pytest.raises(DTypeError, match="must be u32"):
        RandomFoldIn().infer(t("u32[2]"), t("i32[]"))
    with pytest.raises(ShapeError, match="shape of the keys"):
        RandomFoldIn().infer(t("u32[3,2]"), t("u32[2]"))
