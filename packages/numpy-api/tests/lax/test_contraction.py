"""Products of operands of two element types: the wider one's, computed so that nothing is lost before."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_ir import ArgumentError, DTypeError
from treadle_numpy import lax
from treadle_numpy.numpy import asarray

MATRICES = (((1,), (0,)), ((), ()))
# In this order, each holds more than those before.
ORDER: list[Any] = [
    np.bool_,
    np.uint8,
    np.int8,
    np.uint16,
    np.int16,
    np.uint32,
    np.int32,
    ml_dtypes.float8_e4m3b11fnuz,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2,
    np.float16,
    ml_dtypes.bfloat16,
    np.float32,
    np.complex64,
]


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_the_result_has_the_type_that_holds_more(place: int) -> None:
    x = asarray(np.eye(3).astype(ORDER[place]))
    for other, dtype in enumerate(ORDER):
        y = asarray(np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype))
        product = lax.dot_general(x, y, MATRICES)
        assert product.dtype == ORDER[max(place, other)]
        np.testing.assert_array_equal(np.asarray(product).astype(complex), [[1, 0], [0, 1], [1, 1]])
        np.testing.assert_array_equal(np.asarray(lax.dot(x, y)), np.asarray(product))


def test_small_floats_are_multiplied_in_32_bits() -> None:
    """f16 holds digits that bf16 does not, and bf16 sizes that f16 does not."""
    x = np.full((1, 4), 1 + 2**-9, np.float16)
    y = np.full((4, 1), 2.0**100, ml_dtypes.bfloat16)
    product = lax.dot_general(x, y, MATRICES, preferred_element_type=np.float32)
    np.testing.assert_array_equal(product, [[4 * (1 + 2**-9) * 2.0**100]])
    assert lax.dot_general(x, y, MATRICES).dtype == ml_dtypes.bfloat16


def test_another_kind_may_be_wanted() -> None:
    x, y = np.ones((2, 3), np.int8), np.ones((3, 2), np.int32)
    product = lax.dot_general(x, y, MATRICES, preferred_element_type=np.float32)
    assert product.dtype == np.float32
    np.testing.assert_array_equal(product, np.full((2, 2), 3.0))


INTEGERS = (np.bool_, np.int8, np.uint8, np.int32)
FLOATS = (ml_dtypes.float8_e5m2, np.float16, ml_dtypes.bfloat16, np.float32)


@pytest.mark.parametrize("wanted", [*INTEGERS, *FLOATS, np.complex64])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, np.complex64])
def test_every_preferred_type_is_had_or_refused(dtype: Any, wanted: Any) -> None:
    """Floats become anything, integers what has no fewer bytes, complex numbers complex ones."""
    x = asarray(np.array([1, 0, 2, 1]).astype(dtype))
    exact = np.array([1.0, 0.0, 1.0 if dtype is np.bool_ else 2.0, 1.0])
    floats, size = dtype in FLOATS, np.dtype(wanted).itemsize
    refused = not floats and (
        size < np.dtype(dtype).itemsize or (wanted is np.bool_) > (dtype is np.bool_)
    )
    if dtype is np.complex64:
        refused = wanted is not np.complex64
    functions = {
        "dot_general": lambda: lax.dot_general(
            x, x, (((0,), (0,)), ((), ())), preferred_element_type=wanted
        ),
        "matmul": lambda: tnp.matmul(x, x, preferred_element_type=wanted),
        "einsum": lambda: tnp.einsum("a,a->", x, x, preferred_element_type=wanted),
    }
    for function in functions.values():
        if refused:
            with pytest.raises(DTypeError):
                function()
            continue
        product = function()
        assert product.dtype == wanted
        np.testing.assert_array_equal(np.asarray(product), (exact @ exact).astype(wanted))


def test_floats_of_16_bits_are_summed_in_32_before_they_are_narrowed() -> None:
    x = np.full(300, 1.0, np.float16)
    x[0] = 2049.0  # 16 bits cannot represent 2049, and 2048 + 1 is 2048
    ones = np.ones(300, np.float16)
    assert int(tnp.matmul(x, ones, preferred_element_type=np.int32)) == int(x.astype(int).sum())


def test_einsum_of_booleans_asks_whether_any_are() -> None:
    draw = np.random.default_rng(0).random
    x, y = draw((3, 4)) > 0.6, draw((4, 5)) > 0.6
    for text, operands, expected in [
        ("ab,bc->ac", (x, y), x @ y),
        ("ab->a", (x,), x.any(1)),
        ("ab,ab->ba", (x, x), x.T),
        ("aa->", (x[:, :3],), np.diag(x[:, :3]).any()),
    ]:
        found = tnp.einsum(text, *operands)
        assert found.dtype == np.bool_
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("names", [(0, 1, 2), (26, 7, 3), (-1, 60, 7), "ijk", ("x", "a", "b")])
def test_einsum_takes_names_of_axes_of_any_kind_that_has_an_order(names: Any) -> None:
    i, j, k = names
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    product = x @ y
    assert tnp.einsum(x, [i, j], y, [j, k], [k, i]).tolist() == product.T.tolist()
    assert tnp.einsum(x, (..., j), x, (..., j)).tolist() == (x * x).sum(1).tolist()
    unsaid = product if i < k else product.T  # a result's axes stand in the order of their names
    assert tnp.einsum(x, [i, j], y, [j, k]).tolist() == unsaid.tolist()


@pytest.mark.parametrize("axes", [[0, "a"], [0, [1]], [None, 1]])
def test_einsum_refuses_names_of_axes_without_an_order(axes: Any) -> None:
    with pytest.raises(ArgumentError, match=r"einsum: names of axes must be .* that have an order"):
        tnp.einsum(np.ones((2, 3)), axes)


def test_einsum_tells_a_users_product_which_type_is_wanted() -> None:
    """Quantising libraries compute in 8 bits, and need to know what the result is to be."""
    asked: list[Any] = []

    def product(x: Any, y: Any, axes: Any, precision: Any, preferred_element_type: Any) -> Any:
        asked.append((precision, np.dtype(preferred_element_type)))
        return lax.dot_general(x, y, axes, precision, preferred_element_type)

    x = np.ones((2, 2), np.float16)
    tnp.einsum("ab,bc->ac", x, x, _dot_general=product)
    tnp.einsum(
        "ab,bc->ac", x, x, _dot_general=product, precision="highest", preferred_element_type="f4"
    )
    assert asked == [(None, np.float16), ("highest", np.float32)]


@pytest.mark.parametrize(
    ("subscripts", "shapes", "expected"),
    [
        ("ij,jk->ik", [(2, 3), (3, 5)], [((2, 3), (3, 5), (((1,), (0,)), ((), ())))]),
        ("jk,ij->ik", [(3, 5), (2, 3)], [((2, 3), (3, 5), (((1,), (0,)), ((), ())))]),
        ("ij,jk->ki", [(2, 3), (3, 5)], [((3, 5), (2, 3), (((0,), (1,)), ((), ())))]),
        ("ab,cb->", [(2, 3), (5, 3)], [((3,), (3,), (((0,), (0,)), ((), ())))]),
        ("eba,cae->", [(2, 3, 5), (7, 5, 2)], [((2, 5), (5, 2), (((1, 0), (0, 1)), ((), ())))]),
        ("fb,baf->fab", [(7, 3), (3, 2, 7)], [((3, 2, 7), (7, 3), (((), ()), ((2, 0), (0, 1))))]),
        (
            "ij,jk,kl->il",
            [(2, 3), (3, 5), (5, 7)],
            [
                ((3, 5), (2, 3), (((0,), (1,)), ((), ()))),
                ((5, 2), (5, 7), (((0,), (0,)), ((), ()))),
            ],
        ),
    ],
)
def test_einsum_says_which_operand_is_the_left_one(
    subscripts: str, shapes: list[tuple[int, ...]], expected: list[Any]
) -> None:
    """The order matters to libraries that quantise activations and weights by different rules."""
    asked: list[Any] = []

    def product(x: Any, y: Any, axes: Any, precision: Any, preferred_element_type: Any) -> Any:
        asked.append((x.shape, y.shape, axes))
        return lax.dot_general(x, y, axes, precision, preferred_element_type)

    operands = [np.arange(float(np.prod(shape))).reshape(shape) for shape in shapes]
    found = tnp.einsum(subscripts, *operands, _dot_general=product)
    assert asked == expected
    np.testing.assert_allclose(found, np.einsum(subscripts, *operands))


def test_convolutions_of_integers_become_what_has_no_fewer_bytes() -> None:
    x = np.arange(4, dtype=np.int8).reshape(1, 1, 4)
    for wanted in (np.int32, np.float32, ml_dtypes.bfloat16):
        found = lax.conv_general_dilated(x, x, (1,), "VALID", preferred_element_type=wanted)
        assert (found.dtype, float(found[0, 0, 0])) == (wanted, 14.0)
    with pytest.raises(DTypeError):
        lax.conv_general_dilated(
            x.astype(np.int32), x.astype(np.int32), (1,), "VALID", preferred_element_type=np.int8
        )
