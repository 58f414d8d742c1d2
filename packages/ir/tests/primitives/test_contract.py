import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives.contract import Convolution, DotGeneral
from treadle_ir.testing.examples import array_type as t


@pytest.mark.parametrize(
    ("primitive", "x", "y", "message"),
    [
        (DotGeneral(((2,), (0,))), "f32[2,3]", "f32[3,4]", "not distinct axes"),
        (DotGeneral(((1,), (0,)), ((1,), (1,))), "f32[2,3]", "f32[3,3]", "not distinct axes"),
        (DotGeneral(((1,), (0,))), "f32[2,3]", "f32[4,3]", "contracted axes"),
        (DotGeneral(((), ()), ((0,), (0,))), "f32[2,3]", "f32[4,3]", "batching axes"),
        (DotGeneral(((0, 1), (0,))), "f32[2,3]", "f32[2,3]", "contracted axes"),
    ],
)
def test_dot_general_c1_c2(primitive: DotGeneral, x: str, y: str, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        primitive.infer(t(x), t(y))


@pytest.mark.parametrize(
    ("y", "element_type", "message"),
    [
        ("f64[3,4]", None, "element types must be equal"),
        ("f32[3,4]", "i32", "another kind"),
        ("f32[3,4]", "bf16", "narrower"),
    ],
)
def test_dot_general_c3(y: str, element_type: str | None, message: str) -> None:
    asked = None if element_type is None else BY_NAME[element_type]
    with pytest.raises(DTypeError, match=message):
        DotGeneral(((1,), (0,)), element_type=asked).infer(t("f32[2,3]"), t(y))


def test_precision_is_checked_when_it_is_given() -> None:
    with pytest.raises(ArgumentError, match="not one of default, high, highest"):
        DotGeneral(((), ()), precision="best")  # type: ignore[arg-type]


def convolution(
    strides: tuple[int, ...] = (1,),
    padding: tuple[tuple[int, int], ...] = ((0, 0),),
    lhs_spec: tuple[int, ...] = (0, 1, 2),
    feature_group_count: int = 1,
    batch_group_count: int = 1,
) -> Convolution:
    return Convolution(
        strides,
        padding,
        (1,),
        (1,),
        lhs_spec,
        (0, 1, 2),
        (0, 1, 2),
        feature_group_count,
        batch_group_count,
    )


@pytest.mark.parametrize(
    ("primitive", "x", "kernel", "message"),
    [
        (convolution(lhs_spec=(0, 1, 1)), "f32[1,2,5]", "f32[3,2,3]", "permutation"),  # C1
        (convolution(), "f32[1,2,5]", "f32[3,2]", "permutation"),
        (
            convolution(strides=(1, 1)),
            "f32[1,2,5]",
            "f32[3,2,3]",
            "2 entries for 1 spatial axes",
        ),  # C2
        (convolution(strides=(0,)), "f32[1,2,5]", "f32[3,2,3]", "must be positive"),
        (convolution(), "f32[1,4,5]", "f32[3,2,3]", "has 4 features"),  # C3
        (convolution(feature_group_count=2), "f32[1,4,5]", "f32[3,2,3]", "do not divide"),  # C4
        (convolution(batch_group_count=2), "f32[3,2,5]", "f32[4,2,3]", "do not divide"),
        (convolution(padding=((-6, 0),)), "f32[1,2,5]", "f32[3,2,3]", "takes more than"),  # C6
    ],
)
def test_convolution_c1_to_c6(primitive: Convolution, x: str, kernel: str, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        primitive.infer(t(x), t(kernel))


def test_float0_has_no_products() -> None:
    with pytest.raises(DTypeError, match="float0 takes no part in arithmetic"):
        DotGeneral(((0,), (0,))).infer(t("f0[2]"), t("f0[2]"))
