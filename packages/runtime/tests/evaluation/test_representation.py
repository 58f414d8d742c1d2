"""What is not written gives the same: single elements as NumPy scalars, operands that NumPy broadcasts, counts."""

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from treadle_ir import ArrayType, ops, stage
from treadle_ir.calling import composed
from treadle_runtime import from_host
from treadle_runtime.evaluation import codegen
from treadle_runtime.evaluation.representation import Representations

UNARY = {
    "f": [ops.abs, ops.negate, ops.square, ops.sqrt, ops.rsqrt, ops.sign],
    "i": [ops.negate],
    "u": [ops.not_],
}
BINARY = {
    "f": [ops.add, ops.subtract, ops.multiply, ops.divide, ops.maximum, ops.minimum],
    "i": [
        ops.add,
        ops.subtract,
        ops.multiply,
        ops.maximum,
        ops.minimum,
        ops.and_,
        ops.or_,
        ops.xor,
    ],
    "u": [
        ops.add,
        ops.subtract,
        ops.multiply,
        ops.maximum,
        ops.minimum,
        ops.and_,
        ops.or_,
        ops.xor,
    ],
}
DTYPES = [np.float32, np.float64, np.int8, np.int32, np.uint8, np.uint32]


def same(found, expected):
    """To the last bit, but for what a NaN holds."""
    found, expected = np.asarray(found), np.asarray(expected)
    np.testing.assert_array_equal(found, expected, strict=True)
    if found.dtype.kind == "f":
        plain = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[plain], np.signbit(expected)[plain])


def fused(function, *arrays):
    """Return the results of a function once it is planned."""
    whole = composed(function)
    for _ in range(2):
        whole(*arrays)
    return whole(*arrays)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_numbers_give_what_arrays_give(data):
    dtype = np.dtype(data.draw(st.sampled_from(DTYPES)))
    shape = data.draw(st.sampled_from([(), (1,), (1, 1)]))
    x, y = (from_host(np.asarray(data.draw(hnp.arrays(dtype, shape)), dtype)) for _ in range(2))
    steps = data.draw(
        st.lists(
            st.one_of(
                st.tuples(st.sampled_from(UNARY[dtype.kind])),
                st.tuples(st.sampled_from(BINARY[dtype.kind]), st.booleans()),
                st.just(("choose",)),
            ),
            min_size=1,
            max_size=6,
        )
    )

    def chain(x, y):
        a, b = x, y
        for operation, *rest in steps:
            if operation == "choose":
                a, b = ops.select(ops.compare(a, b, direction="lt"), a, b), a
            elif operation in BINARY[dtype.kind]:
                a, b = (operation(a, b), a) if rest and rest[0] else (operation(b, a), b)
            else:
                a = operation(a)
        return a

    same(fused(chain, x, y), chain(x, y))


@pytest.mark.parametrize("dtype", ["f32", "c64", "bf16"])
def test_a_single_element_has_the_shape_that_it_was_given(dtype):
    from treadle_ir.core.dtypes import BY_NAME  # noqa: PLC0415 - the names of the parameters

    x = from_host(np.ones((1, 1), BY_NAME[dtype]))

    def reshaped(x):
        y = ops.negate(x)
        return (
            ops.reshape(y, shape=()),
            ops.broadcast_in_dim(y, shape=(1, 1, 1), dimensions=(0, 2)),
            ops.exponential(ops.reshape(y, shape=(1,))),
            ops.add(ops.reshape(y, shape=(1,)), ops.reshape(x, shape=(1,))),
        )

    for found, expected in zip(fused(reshaped, x), reshaped(x), strict=True):
        same(found, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_])
def test_for_another_shape_of_a_number_nothing_is_written(dtype):
    x = ArrayType((1,), np.dtype(dtype))
    (equation,) = stage(lambda x: [ops.reshape(x, shape=())], x).program.equations
    found = Representations({})
    assert found.is_free(equation, np.reshape)
    assert found.written == []


@pytest.mark.parametrize("dimensions", [(0,), (1,)])
def test_broadcast_values_can_be_results_of_fused_functions(dimensions):
    x = from_host(np.arange(3, dtype=np.float32))

    def spread(x):
        wide = ops.broadcast_in_dim(x, shape=(3, 3), dimensions=dimensions)
        # arithmetic leaves it to NumPy; a maximum over an axis, and the result, take all of it
        return (
            ops.add(wide, ops.transpose(wide, permutation=(1, 0))),
            ops.reduce_maximum(wide, axes=(0,)),
            wide,
        )

    for found, expected in zip(fused(spread, x), spread(x), strict=True):
        same(found, expected)


def test_all_that_is_left_of_a_broadcast_is_arithmetic():
    x = from_host(np.ones((4, 1), np.float32))

    def centred(x):
        return ops.subtract(
            ops.broadcast_in_dim(x, shape=(4, 5), dimensions=(0, 1)),
            ops.broadcast_in_dim(ops.square(x), shape=(4, 5), dimensions=(0, 1)),
        )

    same(fused(centred, x), np.zeros((4, 5), np.float32))  # no operand has the result's shape


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32"])
def test_booleans_are_counted(dtype):
    from treadle_ir.core.dtypes import BY_NAME  # noqa: PLC0415 - the names of the parameters

    x = from_host(np.array([1, np.nan, 3, np.nan, np.nan], np.float32))

    def counts(x):
        numbers = ops.convert(ops.compare(x, x, direction="eq"), dtype=BY_NAME[dtype])
        return ops.reduce_add(numbers, axes=(0,)), numbers  # and both forms are asked for

    for found, expected in zip(fused(counts, x), counts(x), strict=True):
        same(found, expected)


@pytest.mark.parametrize("first", [True, False])
def test_one_truth_chooses_an_array(first):
    x = from_host(np.arange(4, dtype=np.float32))

    def chosen(x):
        truth = ops.compare(
            ops.reduce_add(x, axes=(0,)), np.float32(0), direction="gt" if first else "lt"
        )
        return ops.select(truth, ops.negate(x), ops.slice(x, start=(0,), limit=(4,), strides=(1,)))

    same(fused(chosen, x), chosen(x))


def test_names_are_given_on():
    lines = [(f"v{k + 1}", f"K(v{k}, h0)") for k in range(5)]
    found, kept = codegen._named([("v0", "h0"), *lines], "v5")
    assert kept == "s0"
    assert {line.split(" = ")[0] for line in found} == {"s0"}
    # what is read later keeps its name
    found, kept = codegen._named([("v0", "h0"), ("v1", "K(v0)"), ("v2", "K(v0, v1)")], "v2")
    assert found[1] == "s1 = K(s0)"
    assert found[2] in ("s0 = K(s0, s1)", "s1 = K(s0, s1)")


F32 = ArrayType((4,), np.dtype(np.float32))
WIDE = ArrayType((4,), np.dtype(np.float64))


def test_a_ufunc_writes_over_what_nothing_reads_later():
    lines = [("v0", "K(h0, h1)"), ("v1", "L(v0, C)"), ("v2", "L(v1, v1)")]
    found = codegen._in_place(lines, "v2", {"v0": F32, "v1": F32, "v2": F32})
    assert [text for _, text in found] == ["K(h0, h1)", "L(v0, C, v0)", "L(v1, v1, v1)"]


@pytest.mark.parametrize(
    ("lines", "kept", "made"),
    [
        # read later, by a line or as a result
        ([("v0", "K(h0)"), ("v1", "L(v0)"), ("v2", "M(v0)")], "v1, v2", {"v0": F32, "v1": F32}),
        ([("v0", "K(h0)"), ("v1", "L(v0)")], "v0, v1", {"v0": F32, "v1": F32}),
        # a view of it may be
        ([("v0", "K(h0)"), ("v1", "view(v0)"), ("v2", "L(v0)")], "v1, v2", {"v0": F32, "v2": F32}),
        # made by something else, of another type or shape, or an operand of the function
        ([("v0", "view(h0)"), ("v1", "L(v0)")], "v1", {"v1": F32}),
        ([("v0", "K(h0)"), ("v1", "L(v0)")], "v1", {"v0": F32, "v1": WIDE}),
        ([("v0", "L(h0)")], "v0", {"v0": F32}),
    ],
)
def test_what_is_still_needed_is_not_written_over(lines, kept, made):
    assert codegen._in_place(lines, kept, made) == lines


def test_operands_and_constants_stay_as_they_are():
    table = from_host(np.arange(4, dtype=np.float32))

    def function(x):
        once = ops.add(x, table)
        view = ops.reshape(once, shape=(2, 2))
        return ops.multiply(ops.add(once, once), x), view, ops.negate(ops.add(table, x))

    x = from_host(np.array([1, -2, 3, 5], np.float32))
    for found, expected in zip(fused(function, x), function(x), strict=True):
        same(found, expected)
    same(x, np.array([1, -2, 3, 5], np.float32))
    same(table, np.arange(4, dtype=np.float32))


def test_numbers_of_a_parameter_are_one_kind_of_argument():
    given: list[object] = []

    @composed(numbers=["place"])
    def moved(x, place):
        given.append(place)
        return ops.add(x, ops.convert(place, dtype=np.dtype(np.float32)))

    x = from_host(np.float32(1))
    results = [float(moved(x, place)) for place in range(10)]
    assert results == [1.0 + k for k in range(10)]
    assert len(given) == 2  # run once, and staged once
    assert not any(isinstance(each, int) for each in given)
    with pytest.raises(Exception, match="nothing"):
        moved(x, "nothing")


def test_draws_that_do_not_wait_for_each_other_are_ciphered_together(monkeypatch):
    made: list[int] = []
    kernel = codegen.host.bits_together

    def counted(primitives, *types):
        made.append(len(primitives))
        return kernel(primitives, *types)

    monkeypatch.setattr(codegen.host, "bits_together", counted)

    def drawn(key):
        keys = ops.random_split(key, shape=(3,))
        one, two, three = (
            ops.reshape(ops.slice(keys, start=(k,), limit=(k + 1,)), shape=()) for k in range(3)
        )
        bits = ops.random_bits(one, shape=(2, 5))
        # waits for the first one, and the last one does not
        folded = ops.random_fold_in(
            three, ops.reshape(ops.slice(bits, start=(0, 0), limit=(1, 1)), shape=())
        )
        later = ops.random_bits(folded, shape=(4,), bit_width=8)
        return bits, later, ops.random_bits(two, shape=(3,), bit_width=64)

    key = ops.random_wrap(from_host(np.array([7, 8], np.uint32)))
    for found, expected in zip(fused(drawn, key), drawn(key), strict=True):
        same(found, expected)
    assert made == [2]


def test_many_draws_are_ciphered_apart():
    def drawn(key):
        keys = ops.random_split(key, shape=(2,))
        return tuple(
            ops.random_bits(
                ops.reshape(ops.slice(keys, start=(k,), limit=(k + 1,)), shape=()), shape=(200,)
            )
            for k in range(2)
        )

    key = ops.random_wrap(from_host(np.array([7, 8], np.uint32)))
    for found, expected in zip(fused(drawn, key), drawn(key), strict=True):
        same(found, expected)
