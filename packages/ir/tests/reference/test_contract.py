import dataclasses
import itertools

import numpy as np
import pytest

from treadle_ir import ArrayType, Operand, ops
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives.contract import Convolution
from treadle_ir.reference.registry import Elements, eval_rules
from treadle_ir.testing.examples import Example
from treadle_ir.testing.examples.contract import EXAMPLES

CONVOLUTIONS = [
    example
    for example in EXAMPLES
    if isinstance(example.primitive, Convolution) and example.types[0].dtype == np.float64
]


def by_loops(
    primitive: Convolution, x: Elements, kernel: Elements, shape: tuple[int, ...]
) -> Elements:
    """The definition, one product at a time: z[n, o, place] = sum of x[n, i, at] w[o, i, k] with
    place * stride + k * rhs_dilation = at * lhs_dilation + low.
    """
    x, kernel = x.transpose(primitive.lhs_spec), kernel.transpose(primitive.rhs_spec)
    result = np.zeros(tuple(shape[axis] for axis in primitive.out_spec))
    batch, outputs, *places = result.shape
    inputs = kernel.shape[1]
    per_group = outputs // (primitive.feature_group_count * primitive.batch_group_count)
    for n, o in itertools.product(range(batch), range(outputs)):
        group = o // per_group
        first_input = group * inputs if primitive.feature_group_count > 1 else 0
        row = n + (group * batch if primitive.batch_group_count > 1 else 0)
        for place in np.ndindex(*places):
            for k in np.ndindex(*kernel.shape[2:]):
                at = []
                for axis, (p, step) in enumerate(zip(place, k, strict=True)):
                    position = p * primitive.strides[axis] + step * primitive.rhs_dilation[axis]
                    source, hole = divmod(
                        position - primitive.padding[axis][0], primitive.lhs_dilation[axis]
                    )
                    if hole or not 0 <= source < x.shape[2 + axis]:
                        break
                    at.append(source)
                else:
                    for i in range(inputs):
                        result[(n, o, *place)] += (
                            x[(row, first_input + i, *at)] * kernel[(o, i, *k)]
                        )
    return result.transpose(np.argsort(primitive.out_spec))


@pytest.mark.parametrize("example", CONVOLUTIONS, ids=lambda example: example.label)
def test_convolution_agrees_with_its_definition(example: Example) -> None:
    x, kernel = (np.asarray(operand) for operand in example.operands())
    (result_type,) = example.primitive.infer(*example.types)
    assert isinstance(example.primitive, Convolution)
    names = [field.name for field in dataclasses.fields(Convolution)]
    options = {name: getattr(example.primitive, name) for name in names}
    assert isinstance(result_type, ArrayType)
    result = np.asarray(ops.convolution(x, kernel, **options))
    np.testing.assert_allclose(
        result, by_loops(example.primitive, x, kernel, result_type.shape), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("example", CONVOLUTIONS, ids=lambda example: example.label)
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_not_multiplied_by_padding(
    example: Example, number: float
) -> None:
    """Zeros of padding, and holes between elements, are not elements: only products of elements are NaN."""
    x, kernel = (np.array(operand) for operand in example.operands())
    x[x == 0] = 1
    kernel.reshape(-1)[::2] = number
    assert isinstance(example.primitive, Convolution)
    (result_type,) = example.primitive.infer(*example.types)
    assert isinstance(result_type, ArrayType)
    with np.errstate(invalid="ignore"):
        truth = by_loops(example.primitive, x, kernel, result_type.shape)
        (found,) = eval_rules[example.primitive](example.primitive, x, kernel)
    np.testing.assert_allclose(found, truth, rtol=1e-12, atol=1e-12)


def test_convolution_agrees_with_sums_over_windows() -> None:
    random = np.random.default_rng(3)
    x, kernel = random.standard_normal((9, 8)), random.standard_normal((3, 4))
    order = (0, 1, 2, 3)
    result = ops.convolution(
        x[None, None],
        kernel[None, None],
        padding=((2, 2), (3, 3)),
        lhs_spec=order,
        rhs_spec=order,
        out_spec=order,
    )
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((2, 2), (3, 3))), kernel.shape)
    expected = (windows * kernel).sum((2, 3))
    np.testing.assert_allclose(np.asarray(result)[0, 0], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("subscripts", "contracting", "batching", "shapes"),
    [
        ("ij,jk->ik", ((1,), (0,)), ((), ()), ((2, 3), (3, 4))),
        ("ji,kj->ik", ((0,), (1,)), ((), ()), ((3, 2), (4, 3))),
        ("aibc,cbja->aij", ((2, 3), (1, 0)), ((0,), (3,)), ((2, 3, 4, 5), (5, 4, 6, 2))),
        ("ab,ba->ba", ((), ()), ((1, 0), (0, 1)), ((2, 3), (3, 2))),
        ("i,j->ij", ((), ()), ((), ()), ((2,), (3,))),
        ("ijk,k->ij", ((2,), (0,)), ((), ()), ((2, 3, 4), (4,))),
        ("ijk,kl->ijl", ((2,), (0,)), ((), ()), ((2, 3, 4), (4, 5))),
    ],
)
def test_dot_general_agrees_with_einsum(
    subscripts: str,
    contracting: tuple[tuple[int, ...], tuple[int, ...]],
    batching: tuple[tuple[int, ...], tuple[int, ...]],
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    random = np.random.default_rng(4)
    x, y = (random.standard_normal(shape) for shape in shapes)
    result = np.asarray(ops.dot_general(x, y, contracting=contracting, batching=batching))
    np.testing.assert_allclose(result, np.einsum(subscripts, x, y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["bf16", "f16"])
def test_narrow_floats_are_added_in_f32_and_rounded_once(name: str) -> None:
    # 4096 ones: adding in bf16 stops at 256, in f16 at 2048
    ones: Operand = np.ones(4096, BY_NAME[name])
    assert float(np.asarray(ops.dot_general(ones, ones, contracting=((0,), (0,))))) == 4096


def test_integers_wrap_around_in_their_own_width() -> None:
    x = np.full(2, 100, np.int8)
    assert int(np.asarray(ops.dot_general(x, x, contracting=((0,), (0,))))) == 20000 % 256 - 256 * (
        20000 % 256 > 127
    )
    wide = ops.dot_general(x, x, contracting=((0,), (0,)), element_type=np.dtype(np.int32))
    assert int(np.asarray(wide)) == 20000
