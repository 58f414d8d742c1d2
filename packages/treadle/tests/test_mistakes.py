"""Mistakes that beginners make: the class of the error, what it says, and that the next right call works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import errors, lax

X = np.arange(4, dtype=np.float32)
M = np.ones((2, 3), np.float32)
USED: Any = treadle.jit  # called in ways that its annotations refuse
LOOSE: Any = tnp


def notes(error: BaseException) -> str:
    return "\n".join(error.__notes__)


def test_a_value_asked_for_while_tracing_names_function_and_argument() -> None:
    @treadle.jit
    def step(x: Any, rate: Any) -> Any:
        if rate > 0:
            return x
        return -x

    with pytest.raises(errors.TracerBoolConversionError) as raised:
        step(X, 0.5)
    assert "while: tracing step, at test_mistakes.py:" in notes(raised.value)
    assert "for jit; the value depends on argument rate" in notes(raised.value)
    assert treadle.jit(lambda x, rate: x * rate)(X, 2.0)[1] == 2.0


def test_a_value_of_an_outer_function_names_its_argument_in_a_loop_and_under_vmap() -> None:
    def looped(x: Any, n: Any) -> Any:
        return lax.scan(lambda c, _: (c if n > 0 else -c, None), x, None, length=2)[0]

    for function in (looped, lambda x, n: treadle.vmap(lambda r: r if n > 0 else -r)(x)):
        with pytest.raises(errors.TracerBoolConversionError) as raised:
            treadle.jit(function)(X, 1)
        assert notes(raised.value).endswith("for jit; the value depends on argument n")


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda n: tnp.linspace(0, 1, n), "linspace: num"),
        (lambda n: tnp.sum(M, axis=n), "sum: an axis"),
        (lambda n: tnp.zeros((n, 2)), "zeros: a size"),
        (lambda n: tnp.split(X, n), "split: the number of sections"),
    ],
)
def test_a_traced_option_names_the_function_and_the_option(function: Any, what: str) -> None:
    with pytest.raises(errors.ConcretizationTypeError) as raised:
        treadle.jit(function)(1)
    assert str(raised.value).startswith(f"{what} must be an integer that is known while tracing")
    assert "depends on argument n" in notes(raised.value)


def test_traced_repeats_ask_for_the_total() -> None:
    with pytest.raises(errors.ConcretizationTypeError) as raised:
        treadle.jit(lambda n: tnp.repeat(X, n))(np.arange(4))
    assert "total_repeat_length" in notes(raised.value)


@pytest.mark.parametrize(
    ("mistake", "error", "says"),
    [
        (lambda: USED(None), TypeError, "Expected a callable value, got None"),
        (lambda: treadle.make_jaxpr(LOOSE), TypeError, "fun must be a function"),
        (lambda: tnp.arange(0, 3, 0), ZeroDivisionError, "step must not be 0"),
        (lambda: tnp.array(2**70), OverflowError, "1180591620717411303424 out of bounds for int32"),
        (lambda: tnp.einsum(M, M), TypeError, "axes of an operand must be a list of integers"),
        (lambda: LOOSE.zeros(2, 3), TypeError, "3 is not an element type"),
        (lambda: lax.reduce(X, tnp.ones(2), lax.add, (0,)), ValueError, "must be a scalar"),
        (lambda: LOOSE.ones(3).at.set(1), AttributeError, r"write x\.at\[i\]\.set"),
        (lambda: LOOSE.ones(3).at.sets, AttributeError, r"x\.at has no attribute 'sets'"),
        (lambda: treadle.vmap(lambda x: x, out_axes="a")(X), TypeError, "out_axes must be an int"),
        (lambda: treadle.custom_vjp(lambda x: x)(1.0), AttributeError, "no derivative rules"),
        (lambda: treadle.custom_jvp(lambda x: x)(1.0), AttributeError, "no derivative rule"),
        (
            lambda: USED(lambda x: x, in_shardings=treadle.P("a"))(X),
            RuntimeError,
            "no mesh is in force",
        ),
    ],
)
def test_classes_and_words(mistake: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        mistake()


def test_a_shape_in_two_arguments_is_shown_as_one() -> None:
    with pytest.raises(errors.ArgumentError) as raised:
        tnp.zeros(2, 3)  # type: ignore[arg-type]  # the mistake
    assert "write zeros((2, 3))" in notes(raised.value)


def test_element_types_are_named_as_users_write_them() -> None:
    with pytest.raises(errors.DTypeError) as raised:
        tnp.zeros(3, np.longdouble)
    assert "int8, int16, int32, int64" in notes(raised.value)
    assert " i8," not in notes(raised.value)  # which is NumPy's int64


def test_jacfwd_names_no_option_that_it_lacks() -> None:
    with pytest.raises(errors.DTypeError) as raised:
        treadle.jacfwd(lambda x: x)(1)
    assert "allow_int" not in notes(raised.value)


def test_donated_arrays_meet_code_written_for_either_class() -> None:
    x = tnp.arange(8.0) + 1
    treadle.jit(lambda v: v + 1, donate_argnums=0)(x)
    for error in (RuntimeError, ValueError):
        with pytest.raises(error, match="Array has been deleted"):
            x + 1


def test_a_setting_is_not_assigned_to() -> None:
    with pytest.raises(AttributeError, match=r"write config\.update\('treadle_enable_x64', True\)"):
        treadle.config.treadle_enable_x64 = True
    assert not treadle.config.treadle_enable_x64


def test_a_platform_that_failed_before_is_refused_where_it_is_asked_for_now() -> None:
    found = []
    for _ in range(2):
        with pytest.raises(errors.PlatformError) as raised:
            treadle.devices("nowhere")
        found.append(raised.value)
    assert found[0] is not found[1]
    assert [note for note in found[0].__notes__ if "fix:" in note] == [
        note for note in found[1].__notes__ if "fix:" in note
    ]
    assert all(sum("  at " in note for note in each.__notes__) == 1 for each in found)


@pytest.mark.parametrize("index", [3, -4, (..., 3)])
def test_a_position_beyond_the_ends_of_a_reference_is_an_error(index: Any) -> None:
    # Arrays take the nearest element and drop what is written: of a reference it would be lost.
    ref = treadle.new_ref(tnp.arange(3.0))
    with pytest.raises(IndexError, match="is out of bounds for axis 0 of size 3"):
        ref[index] = 1.0
    with pytest.raises(IndexError, match="is out of bounds for axis 0 of size 3"):
        ref[index]
    ref[-1] = 9.0
    assert ref[...].tolist() == [0.0, 1.0, 9.0]


@pytest.mark.parametrize(("held", "value"), [("f4", 1j), ("i4", 1.5), ("i4", 1j)])
def test_a_python_number_that_a_reference_cannot_hold_is_an_error(held: str, value: Any) -> None:
    ref = treadle.new_ref(tnp.zeros(3, held))
    with pytest.raises(errors.DTypeError, match="but the reference holds"):
        ref[0] = value
    ref[0] = 2
    assert ref[...].tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: treadle.vmap(lambda x: "a")(X),
        lambda: lax.scan(lambda c, x: (c, "a"), 0.0, X),
        lambda: lax.cond(X[0] > 0, lambda: "a", lambda: "b"),
    ],
)
def test_a_result_that_is_no_array_is_told_what_may_be_returned(mistake: Any) -> None:
    with pytest.raises(
        errors.ArgumentError, match=r"result is '[ab]' of type <class 'str'>"
    ) as raised:
        mistake()
    assert "fix: return arrays, numbers, or trees of them" in notes(raised.value)


def test_what_is_printed_needs_a_format() -> None:
    with pytest.raises(errors.ArgumentError, match=r"debug\.print: fmt must be a string") as raised:
        treadle.debug.print(tnp.ones(2))  # type: ignore[call-overload]  # the mistake
    assert 'write debug.print("{}", x)' in notes(raised.value)


def test_no_transformation_applies_to_a_compiled_function() -> None:
    compiled = treadle.jit(tnp.sum).lower(X).compile()
    for transformed in (treadle.grad(compiled), treadle.jit(lambda x: compiled(x))):
        with pytest.raises(
            TypeError, match=r"sum was compiled.*argument 0 is a traced array"
        ) as raised:
            transformed(X)
        assert "before it is lowered" in notes(raised.value)
    assert float(compiled(X)) == 6.0
