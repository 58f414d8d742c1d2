"""Fused functions: the same results, regardless of earlier calls."""

import gc
import warnings
import weakref

import numpy as np
import pytest

from treadle_ir import ArrayType, ops, stage
from treadle_ir.calling import composed
from treadle_ir.core import dtypes
from treadle_ir.errors import DonatedError
from treadle_ir.primitives.elementwise import Minimum
from treadle_ir.reference.registry import eval_rules
from treadle_ir.settings import SETTINGS, X64, Setting
from treadle_ir.tracing import current_evaluator
from treadle_runtime import from_host
from treadle_runtime.evaluation import composites, limits, plans
from treadle_runtime.evaluation.evaluator import RuntimeEvaluator

F32 = np.dtype(np.float32)
calls: list[object] = []


@composed
def rooted(x, scale=2.0, *, exact=False):
    """`sqrt(scale x) + x`, or what stands for it."""
    calls.append(scale)
    root = ops.sqrt(ops.multiply(x, np.float32(scale)))
    return ops.add(root, x if exact else ops.negate(x))


@composed
def both(x, y):
    """Sum and difference."""
    calls.append("both")
    return ops.add(x, y), {"less": ops.subtract(x, y)}


@pytest.fixture(autouse=True)
def counted():
    """The calls of this test alone."""
    calls.clear()


def array(*values):
    return from_host(np.array(values, np.float32))


def expected(x, scale=2.0):
    x = np.asarray(x, np.float32)
    return np.sqrt(x * np.float32(scale)) - x


def test_the_function_runs_once_and_is_staged_once():
    x = array(1, 2, 3)
    for k in range(5):
        np.testing.assert_array_equal(rooted(x), expected(x))
        assert len(calls) == min(k + 1, 2)


def test_arguments_of_another_kind_are_another_plan():
    for _ in range(3):
        np.testing.assert_array_equal(rooted(array(1, 2)), expected([1, 2]))
        np.testing.assert_array_equal(rooted(array(5)), expected([5]))
        np.testing.assert_array_equal(rooted(array(1, 2), 3.0), expected([1, 2], 3.0))
        np.testing.assert_array_equal(
            rooted(array(1, 2), exact=True), expected([1, 2]) + np.float32([2, 4])
        )


def test_zeros_of_either_sign_are_different_values():
    @composed
    def signed(x, sign):
        return ops.multiply(x, np.float32(sign))

    for _ in range(3):
        assert not np.signbit(np.asarray(signed(array(1), 0.0)))[0]
        assert np.signbit(np.asarray(signed(array(1), -0.0)))[0]


def test_true_and_one_are_different_values():
    @composed
    def told(x, flag):
        return ops.add(x, np.float32(1.0 if flag is True else 2.0))

    for _ in range(3):
        assert np.asarray(told(array(0), True))[0] == 1
        assert np.asarray(told(array(0), 1))[0] == 2


def test_trees_of_results():
    x, y = array(3, 4), array(1, 2)
    for _ in range(4):
        total, rest = both(x, y)
        np.testing.assert_array_equal(total, [4, 6])
        np.testing.assert_array_equal(rest["less"], [2, 2])


def test_an_operand_that_is_returned_is_the_operand():
    @composed
    def same(x):
        return x

    x = array(1, 2)
    for _ in range(3):
        assert same(x) is x


def test_a_setting_is_part_of_the_kind():
    @composed
    def wide(x):
        dtype = np.dtype(np.float64 if X64() else np.float32)
        return ops.convert(x, dtype=dtype)

    x = array(1, 2)
    for _ in range(3):
        assert wide(x).dtype == np.float32
        with X64.override(True):
            assert wide(x).dtype == np.float64


def test_nothing_runs_as_a_whole_where_each_operation_is_looked_at(request):
    instrumented = Setting(
        "test_instrumented", False, parse=bool, help="For this test.", op_by_op=(True,)
    )
    request.addfinalizer(lambda: SETTINGS.pop("test_instrumented"))
    x = array(1, 2, 3, 4, 5)
    with instrumented.override(True):
        for k in range(4):
            rooted(x)
            assert len(calls) == k + 1


def test_a_traced_call_is_the_function_itself():
    x = array(1, 2, 3)
    for _ in range(3):
        rooted(x)
    calls.clear()
    program = stage(lambda x: [rooted(x)], ArrayType((3,), F32)).program
    assert calls
    assert [equation.primitive.name for equation in program.equations] == [
        *("multiply", "sqrt", "negate", "add")
    ]


def test_a_function_that_asks_for_elements_is_run_as_it_is():
    @composed
    def by_value(x):
        calls.append("by value")
        return ops.negate(x) if np.asarray(x)[0] > 0 else x

    for _ in range(4):
        assert np.asarray(by_value(array(1)))[0] == -1
        assert np.asarray(by_value(array(-1)))[0] == -1


def test_errors_are_the_function_s_own_each_time():
    for _ in range(4):
        with pytest.raises(Exception, match="shape"):
            both(array(1, 2), array(1, 2, 3))


def test_a_fault_in_staging_is_raised(monkeypatch):
    """Otherwise the fault would only cause unnoticed slowness: only treadle's errors mean it cannot be staged."""

    def broken(*arguments):
        raise AssertionError("a fault")

    monkeypatch.setattr(plans, "placement_for", broken)
    operands = array(1, 2, 3, 4, 5), array(1, 2, 3, 4, 5)
    both(*operands)
    with pytest.raises(AssertionError, match="a fault"):
        both(*operands)


def test_what_was_refused_is_never_staged(monkeypatch):
    monkeypatch.setattr(plans, "planned", lambda *arguments: pytest.fail("it was staged"))
    for _ in range(3):
        with pytest.raises(Exception, match="shape"):
            both(array(1, 2, 3, 4, 5, 6), array(1, 2))


def test_an_operation_has_one_kernel_from_its_first_call_on(monkeypatch):
    """Not its rule in the first call, and another function of NumPy's in later ones."""
    x, y = array(1, 2, 3), array(4, 5, 6)
    primitive = Minimum()
    monkeypatch.setitem(eval_rules._rules, Minimum, lambda *operands: pytest.fail("the rule"))
    evaluator = RuntimeEvaluator()
    for _ in range(2):
        (found,) = evaluator.evaluate(primitive, [x, y])
        assert np.asarray(found).tolist() == [1, 2, 3]


def test_small_arrays_compile_nothing(monkeypatch):
    monkeypatch.setattr(plans, "compile_program", None)
    for _ in range(4):
        rooted(from_host(np.ones(limits.LARGE, np.float32)))


def test_large_arrays_are_compiled_as_one_program():
    x = from_host(np.linspace(0, 1, limits.LARGE + 1, dtype=np.float32))
    for _ in range(3):
        np.testing.assert_allclose(rooted(x), expected(x), rtol=3e-7, atol=1e-7)
    assert len(calls) == 1


@composed
def table(x, count, width):
    """A result of `count` rows and `width` columns from few elements."""
    calls.append("table")
    spread = ops.broadcast_in_dim(x, shape=(count, width), dimensions=())
    rows = ops.iota(shape=(count, width), dimension=0, dtype=F32)
    return ops.add(ops.multiply(rows, spread), np.float32(1))


@composed
def doubled(x):
    """Each element twice."""
    wide = ops.broadcast_in_dim(x, shape=(x.shape[0], 2), dimensions=(0,))
    return ops.reshape(wide, shape=(2 * x.shape[0],))


def launches(monkeypatch):
    """The programs that are compiled from now on."""
    found = []
    compile_program = plans.compile_program
    monkeypatch.setattr(
        plans, "compile_program", lambda *args: found.append(args) or compile_program(*args)
    )
    return found


@pytest.mark.parametrize(
    ("count", "width", "compiled", "called"),
    [
        (512, 257, 1, 2),  # only the result shows that it is large
        (limits.LARGE + 1, 1, 1, 1),  # a number shows it before the first call
        (512, 256, 0, 2),
    ],
)
def test_large_results_of_few_elements_are_compiled_from_the_first_call_on(
    monkeypatch, count, width, compiled, called
):
    found = launches(monkeypatch)
    x = from_host(np.float32(3))
    rows = np.arange(count, dtype=np.float32)[:, None] * 3 + 1
    for _ in range(3):
        np.testing.assert_array_equal(table(x, count, width), np.broadcast_to(rows, (count, width)))
    assert len(found) == compiled
    assert len(calls) == called


def test_elements_repeated_side_by_side_are_compiled_where_there_are_many(monkeypatch):
    found = launches(monkeypatch)
    for size, compiled in ((8, 0), (limits.LARGE + 1, 1)):
        elements = np.arange(size, dtype=np.float32)
        for _ in range(3):
            np.testing.assert_array_equal(doubled(from_host(elements)), np.repeat(elements, 2))
        assert len(found) == compiled


@composed
def begun_with(x, number):
    """The array with another first element, which moves elements and computes nothing."""
    calls.append("begun_with")
    return ops.dynamic_update_slice(x, ops.reshape(number, shape=(1,)), np.int32(0))


def test_what_moves_large_arrays_is_one_program_where_numpy_would_not_run_it(monkeypatch):
    found = launches(monkeypatch)
    for size, compiled in ((8, 0), (limits.LARGE + 1, 1)):
        x = from_host(np.zeros(size, np.float32))
        calls.clear()
        for number in (1, 2, 3):
            begun = np.asarray(begun_with(x, from_host(np.float32(number))))
            assert begun[0] == number
            assert not begun[1:].any()
        assert len(found) == compiled
    assert len(calls) == 1


@composed
def summed(xs):
    """The sum of some arrays."""
    calls.append("summed")
    total = xs[0]
    for x in xs[1:]:
        total = ops.add(total, x)
    return total


def test_very_many_arrays_are_not_planned_for(monkeypatch):
    monkeypatch.setattr(plans, "MOST_ARRAYS", 8)
    for count, runs in ((8, 2), (9, 4)):
        calls.clear()
        for _ in range(4):
            np.testing.assert_array_equal(summed([array(1, 2)] * count), [count, 2 * count])
        assert len(calls) == runs


def test_large_constants_are_not_kept():
    def used():
        large = from_host(np.ones(plans.MOST_CAPTURED, np.float32))

        @composed
        def shifted(x):
            return ops.add(x, ops.reduce_maximum(large, axes=(0,)))

        for _ in range(3):
            assert np.asarray(shifted(array(1)))[0] == 2
        return weakref.ref(large)

    gone = used()
    current_evaluator().call.__self__._plans.clear()
    current_evaluator().call.__self__._seen_once.clear()
    gc.collect()
    assert gone() is None


def test_numbers_that_are_never_the_same_do_not_cost_the_plans():
    x = array(1, 2, 3)
    rooted(x)
    rooted(x)
    calls.clear()
    for k in range(2 * composites._LIMIT):
        rooted(x, float(k))
    calls.clear()
    rooted(x)
    assert not calls


def test_weak_types_stay_weak():
    x = from_host(np.array(2, np.float32), weak=True)

    @composed
    def twice(x):
        return ops.add(x, x)

    for _ in range(3):
        assert twice(x).type.weak


def test_overflow_is_silent():
    x = array(3e38)

    @composed
    def far(x):
        return ops.multiply(ops.add(x, x), x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert np.isinf(np.asarray(far(x)))[0]


def test_results_without_axes_are_arrays():
    @composed
    def total(x):
        return ops.sqrt(ops.reduce_add(x, axes=(0,)))

    for _ in range(3):
        result = total(array(1, 3))
        assert result.shape == ()
        assert isinstance(result.host, np.ndarray)
        assert result.dtype == dtypes.BY_NAME["f32"]


def test_a_small_part_of_a_large_value_keeps_it_not_alive():
    @composed
    def first(x):
        wide = ops.broadcast_in_dim(x, shape=(1 << 12, 8), dimensions=(1,))
        return ops.slice(ops.add(wide, wide), start=(0, 0), limit=(1, 8), strides=(1, 1))

    x = array(*range(8))
    for _ in range(3):
        result = first(x)
        assert result.host.base is None or result.host.base.nbytes < 1 << 12


def test_arrays_by_position_come_before_arrays_by_name():
    for _ in range(3):
        total, rest = both(array(5.0), y=array(3.0))
        np.testing.assert_array_equal(total, [8.0])
        np.testing.assert_array_equal(rest["less"], [2.0])


def _twice_by_numpy(types):
    if not types[0].ndim:
        return None
    return lambda x: [x * np.float32(4)] if x[0] > 0 else None


@composed(host=_twice_by_numpy)
def twice(x, factor=2.0):
    """Return `2 x`; its host function returns `4 x`, so that the two can be distinguished."""
    return ops.multiply(x, np.float32(factor))


def test_a_host_function_is_called_where_it_serves():
    found = [float(np.asarray(twice(array(1.0)))[0]) for _ in range(3)]
    assert found == [2.0, 4.0, 4.0]  # the first call is the function itself


def test_operations_compute_calls_that_a_host_function_rejects():
    assert [float(np.asarray(twice(array(-1.0)))[0]) for _ in range(3)] == [-2.0] * 3


def test_other_arguments_and_types_have_no_host_function():
    assert [float(np.asarray(twice(array(1.0), 3.0))[0]) for _ in range(3)] == [3.0] * 3
    assert [float(np.asarray(twice(array(1.0), factor=3.0))[0]) for _ in range(3)] == [3.0] * 3
    assert [float(twice(from_host(np.asarray(np.float32(1))))) for _ in range(3)] == [2.0] * 3


@composed(loops=True)
def squared(x):
    """`x^2`; a loop is left out."""
    return ops.multiply(x, x)


def test_a_deleted_array_is_refused_by_what_is_compiled():
    x = from_host(np.full(limits.LARGE + 1, 3, np.float32))
    compiled = [squared(x), squared(x)]
    x.delete()
    with pytest.raises(DonatedError):
        squared(x)
    assert all([float(np.asarray(each)[0]) == 9.0 for each in compiled])


def _five(types):
    """Return a host function that returns 5 if the first number is positive."""
    if not types[0].ndim:
        return None
    return lambda x, *others: [np.full(x.shape, 5, np.float32)] if x.flat[0] > 0 else None


@composed(loops=True, host=_five)
def looped(x):
    """`2 x`."""
    return ops.multiply(x, np.float32(2))


@composed(loops=True, host=_five)
def of_pair(pair, y):
    """The sum of three."""
    return ops.add(ops.add(*pair), y)


def test_a_host_function_up_to_rounding_is_called_from_the_first_call_on():
    assert [float(np.asarray(looped(array(1.0)))[0]) for _ in range(3)] == [5.0] * 3
    assert [float(np.asarray(looped(array(-1.0)))[0]) for _ in range(3)] == [-2.0] * 3


def test_a_host_function_up_to_rounding_serves_large_arrays():
    large = from_host(np.ones(limits.LARGE + 1, np.float32))
    assert float(np.asarray(looped(large))[-1]) == 5.0
    refused = from_host(np.full(limits.LARGE + 1, -1, np.float32))
    assert float(np.asarray(looped(refused))[-1]) == -2.0


def test_a_plan_does_not_keep_the_arrays_that_it_was_made_for():
    elements = np.ones(limits.LARGE + 3, np.float32)
    kept = weakref.ref(elements)
    looped(from_host(elements))
    del elements
    gc.collect()
    assert kept() is None


def test_a_host_function_gets_the_arrays_of_a_tuple_in_their_order():
    x, y = array(1.0), array(2.0)
    assert float(np.asarray(of_pair((x, x), y))[0]) == 5.0
    assert float(np.asarray(of_pair((array(-1.0), x), y))[0]) == 2.0
    assert float(np.asarray(of_pair((x, x), y=y))[0]) == 4.0  # by name: the operations


@composed
def with_looped(x):
    """`2 x + 1`, by a fused function with a host function."""
    return ops.add(looped(x), np.float32(1))


def test_a_host_function_is_found_within_another_function():
    assert [float(np.asarray(with_looped(array(1.0)))[0]) for _ in range(3)] == [6.0] * 3
    # What the host function leaves is computed by the operations, in the same plan.
    assert [float(np.asarray(with_looped(array(-1.0)))[0]) for _ in range(3)] == [-1.0] * 3


@composed(loops=True)
def large_sum(x):
    """The sum of two calls, which are compiled where they are large."""
    return ops.add(looped(x), looped(x))


def test_calls_within_a_compiled_function_are_its_operations():
    assert float(np.asarray(large_sum(array(1.0)))[0]) == 10.0
    large = from_host(np.ones(limits.LARGE + 1, np.float32))
    assert float(np.asarray(large_sum(large))[0]) == 4.0


def test_a_host_function_is_not_called_while_a_transformation_runs():
    program = stage(lambda x: [looped(x)], array(1.0).type).program
    assert [type(equation.primitive).__name__ for equation in program.equations] == ["Multiply"]


@composed
def middle(parts):
    """The sum of all but the ends, which is all that tells some long arrays from each other."""
    calls.append("middle")
    return ops.add(parts[0], parts[1])


def test_arrays_of_numpy_in_lists_are_no_part_of_a_key():
    """The text of a long array does not contain all elements, so it must not be its key."""
    x = from_host(np.zeros(3000, F32))
    for number in range(4):
        long = np.zeros(3000, F32)
        long[1500] = number
        assert np.asarray(middle([x, long]))[1500] == number
