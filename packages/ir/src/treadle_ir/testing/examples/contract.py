"""Examples of contractions."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.contract import Convolution, DotGeneral
from treadle_ir.testing.examples import Example, example

_F64: Final = np.dtype(np.float64)
_I32: Final = np.dtype(np.int32)
_F32: Final = np.dtype(np.float32)


def _convolution(
    rank: int,
    strides: tuple[int, ...] = (),
    padding: tuple[tuple[int, int], ...] = (),
    lhs_dilation: tuple[int, ...] = (),
    rhs_dilation: tuple[int, ...] = (),
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    specs: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None = None,
    element_type: np.dtype[np.generic] | None = None,
) -> Convolution:
    spatial = rank - 2
    ones, order = (1,) * spatial, tuple(range(rank))
    lhs, rhs, out = specs or (order, order, order)
    return Convolution(
        strides=strides or ones,
        padding=padding or ((0, 0),) * spatial,
        lhs_dilation=lhs_dilation or ones,
        rhs_dilation=rhs_dilation or ones,
        lhs_spec=lhs,
        rhs_spec=rhs,
        out_spec=out,
        feature_group_count=feature_group_count,
        batch_group_count=batch_group_count,
        element_type=element_type,
    )


_NHWC: Final = ((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))

EXAMPLES: Final[list[Example]] = [
    example(DotGeneral(((1,), (0,))), "f32[2,3]", "f32[3,4]", label="matrices"),
    example(DotGeneral(((0,), (0,))), "f32[5]", "f32[5]", label="vectors"),
    example(DotGeneral(((1,), (0,))), "f64[2,3]", "f64[3]", label="matrix and vector"),
    example(DotGeneral(((0,), (1,))), "f64[3,2]", "f64[4,3]", label="transposed"),
    example(DotGeneral(((), ())), "f64[2]", "f64[3]", label="outer product"),
    example(DotGeneral(((), ())), "f64[]", "f64[2]", label="scalar"),
    example(DotGeneral(((2,), (1,)), ((0,), (0,))), "f64[2,3,4]", "f64[2,4,5]", label="batch"),
    example(
        DotGeneral(((0, 2), (3, 1)), ((3,), (0,))),
        "f64[2,3,4,5]",
        "f64[5,4,3,2]",
        label="two axes, mixed",
    ),
    example(DotGeneral(((), ())), "f64[]", "f64[]", label="scalars"),
    example(DotGeneral(((), ()), ((1, 0), (0, 1))), "f64[2,3]", "f64[3,2]", label="batching only"),
    example(
        DotGeneral(((1,), (1,)), ((2, 0), (0, 2))), "c64[2,3,4]", "c64[4,3,2]", label="complex"
    ),
    example(DotGeneral(((1,), (0,))), "f32[2,0]", "f32[0,3]", label="empty sum"),
    example(DotGeneral(((1,), (0,))), "f32[0,2]", "f32[2,3]", label="empty"),
    example(DotGeneral(((1,), (0,))), "bf16[2,3]", "bf16[3,4]", label="narrow"),
    example(DotGeneral(((1,), (0,))), "f16[2,3]", "f16[3]", label="narrow"),
    example(
        DotGeneral(((1,), (0,)), element_type=_F32), "bf16[2,3]", "bf16[3,4]", label="wider result"
    ),
    example(
        DotGeneral(((1,), (0,)), element_type=_F64), "f32[2,3]", "f32[3,4]", label="wider result"
    ),
    example(DotGeneral(((1,), (0,))), "i32[2,3]", "i32[3,4]", domain=(-9, 9)),
    example(
        DotGeneral(((1,), (0,))), "i8[2,3]", "i8[3,4]", domain=(-100, 100), label="wraps around"
    ),
    example(DotGeneral(((1,), (0,)), element_type=_I32), "i8[2,3]", "i8[3,4]", domain=(-100, 100)),
    example(DotGeneral(((1,), (0,))), "u8[2,3]", "u8[3,4]", domain=(0, 200)),
    example(DotGeneral(((1,), (0,))), "bool[2,3]", "bool[3,4]"),
    example(DotGeneral(((1,), (0,)), precision="highest"), "f32[2,3]", "f32[3,4]", label="highest"),
    example(_convolution(2), "f64[2,3]", "f64[4,3]", label="no spatial axis"),
    example(_convolution(3), "f64[2,3,7]", "f64[4,3,3]", label="one spatial axis"),
    example(
        _convolution(3, strides=(2,), padding=((1, 2),)),
        "f32[1,2,7]",
        "f32[3,2,3]",
        label="strides",
    ),
    example(
        _convolution(3, strides=(2,), padding=((0, 0),)),
        "f64[1,2,8]",
        "f64[3,2,3]",
        label="uneven strides",
    ),
    example(_convolution(3, padding=((-1, -2),)), "f64[1,2,8]", "f64[3,2,3]", label="cut"),
    example(
        _convolution(3, padding=((4, -1),), lhs_dilation=(3,)),
        "f64[1,2,4]",
        "f64[3,2,3]",
        label="lhs dilation",
    ),
    example(
        _convolution(3, padding=((1, 1),), rhs_dilation=(2,)),
        "f64[1,2,6]",
        "f64[3,2,3]",
        label="rhs dilation",
    ),
    example(
        _convolution(3, strides=(3,), padding=((2, 1),), lhs_dilation=(2,), rhs_dilation=(2,)),
        "f64[2,2,6]",
        "f64[3,2,3]",
        label="all",
    ),
    example(
        _convolution(4, strides=(1, 2), padding=((1, 0), (0, 2)), specs=_NHWC),
        "f64[2,4,5,3]",
        "f64[2,3,3,2]",
        label="channels last",
    ),
    example(
        _convolution(3, feature_group_count=2), "f64[2,4,5]", "f64[6,2,3]", label="feature groups"
    ),
    example(_convolution(3, batch_group_count=2), "f64[4,3,5]", "f64[6,3,3]", label="batch groups"),
    example(
        _convolution(
            4, (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 1), feature_group_count=3, specs=_NHWC
        ),
        "f64[2,5,4,6]",
        "f64[2,3,2,3]",
        label="feature groups, all",
    ),
    example(
        _convolution(4, (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 1), batch_group_count=3, specs=_NHWC),
        "f64[6,5,4,2]",
        "f64[2,3,2,6]",
        label="batch groups, all",
    ),
    example(
        _convolution(3, padding=((2, 1),)),
        "f32[2,1,7]",
        "f32[1,1,3]",
        label="one feature in and out",
    ),
    example(
        _convolution(4, (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 1), specs=_NHWC),
        "f32[2,5,4,1]",
        "f32[2,3,1,1]",
        label="one feature, all",
    ),
    example(
        _convolution(
            4, (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 1), feature_group_count=3, specs=_NHWC
        ),
        "f32[2,5,4,3]",
        "f32[2,3,1,3]",
        label="each feature by itself",
    ),
    example(_convolution(5), "f16[2,1,3,4,2]", "f16[1,1,2,2,2]", label="one feature, three axes"),
    example(_convolution(3), "c64[2,1,5]", "c64[1,1,3]", label="one feature, complex"),
    example(_convolution(3), "f64[2,3,2]", "f64[4,3,3]", label="no place"),
    example(_convolution(3), "f64[2,3,2]", "f64[4,3,0]", label="no window"),
    example(_convolution(3, padding=((2, 2),)), "f64[0,3,2]", "f64[4,3,3]", label="no batch"),
    example(_convolution(3), "c64[1,2,5]", "c64[2,2,3]", label="complex"),
    example(_convolution(3), "bf16[1,2,5]", "bf16[2,2,3]", label="narrow"),
    example(_convolution(3, element_type=_F64), "f32[1,2,5]", "f32[2,2,3]", label="wider result"),
    example(_convolution(3), "i32[1,2,5]", "i32[2,2,3]", label="integers"),
]
