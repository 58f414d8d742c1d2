from typing import Any

import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.primitives.window import ReduceWindowAdd, SelectAndGatherAdd, SelectAndScatterAdd
from treadle_ir.testing.examples import array_type as t

PLAIN: tuple[tuple[int], tuple[int], tuple[tuple[int, int]], tuple[int], tuple[int]] = (
    (2,),
    (1,),
    ((0, 0),),
    (1,),
    (1,),
)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            ((2, 2), (1,), ((0, 0),), (1,), (1,)),
            "window_dimensions has 2 entries for the 1 axes",
        ),  # C1
        (((2,), (0,), ((0, 0),), (1,), (1,)), "window_strides is .*must be positive"),  # C2
        (((2,), (1,), ((-6, 0),), (1,), (1,)), "takes more than"),  # C3
    ],
)
def test_windows_c1_to_c3(settings: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        ReduceWindowAdd(*settings).infer(t("f32[5]"))


def test_selections_c4_c5() -> None:
    with pytest.raises(ShapeError, match="the window has"):
        SelectAndScatterAdd(*PLAIN, "ge").infer(t("f32[5]"), t("f32[5]"))
    with pytest.raises(ShapeError, match="shapes must be equal"):
        SelectAndGatherAdd(*PLAIN, "ge").infer(t("f32[4]"), t("f32[5]"))
    with pytest.raises(DTypeError, match="element types must be equal"):
        SelectAndGatherAdd(*PLAIN, "ge").infer(t("f64[5]"), t("f32[5]"))
    with pytest.raises(DTypeError, match="it takes signed"):
        SelectAndGatherAdd(*PLAIN, "ge").infer(t("c64[5]"), t("c64[5]"))
    with pytest.raises(ArgumentError, match="not one of ge, le"):
        SelectAndGatherAdd(*PLAIN, "gt")  # type: ignore[arg-type]
