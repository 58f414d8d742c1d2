"""What errors say to those who come from other libraries, or call from within one: the whole text of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle_ir import ops

HOST = np.ones(3, np.float32)


def text_of(call: Callable[[], object]) -> str:
    """The message and its notes, without the line that says where."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the text says which
        call()
    notes = getattr(caught.value, "__notes__", [])
    return "\n".join([str(caught.value), *[n for n in notes if not n.startswith("  at ")]])


class Table:
    """As pandas' are: no array, and made one by a method."""

    def to_numpy(self) -> Any:
        return np.array([["a", 1]], object)


TABLE: Any = Table()


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: treadle.jit(lambda x, mode: x)(1.0, "fast"), "mode"),
        (lambda: treadle.jit(lambda x, mode: x)(1.0, mode="fast"), "mode"),
        (lambda: treadle.grad(treadle.jit(lambda x, mode: x))(1.0, mode="fast"), "mode"),
    ],
)
def test_a_string_is_to_be_static(call: Callable[[], object], argument: str) -> None:
    text = text_of(call)
    assert text.startswith("'fast' of type <class 'str'> is not a valid treadle type\n")
    assert f"fix: mark it static, with jit(..., static_argnames={argument!r})" in text
    assert "self" not in text


def test_what_the_fix_says_works() -> None:
    assert treadle.jit(lambda x, mode: x, static_argnames="mode")(1.0, "fast") == 1


def test_an_argument_that_no_name_leads_to_is_not_said_to_be_static() -> None:
    text = text_of(lambda: treadle.jit(lambda tree: tree)({"a": "b"}))
    assert "while: interpreting argument tree['a'] of <lambda>" in text
    assert "static_argnames" not in text


def test_a_convolution_without_batch_and_features() -> None:
    assert text_of(lambda: lax.conv(tnp.ones((3, 3)), tnp.ones((2, 2)), (1, 1), "SAME")) == (
        "conv_general_dilated: window_strides (1, 1), lhs_dilation () and rhs_dilation () must have one number for "
        "each of the 0 spatial axes\n"
        "  fix: give input (3, 3) and kernel (2, 2) a batch and a feature axis before the spatial ones: "
        "`x[None, None]`, `kernel[None, None]`"
    )
    x, kernel = tnp.ones((3, 3))[None, None], tnp.ones((2, 2))[None, None]
    assert lax.conv(x, kernel, (1, 1), "SAME").shape == (1, 1, 3, 3)


@pytest.mark.parametrize("call", [lambda: tnp.sin(TABLE), lambda: tnp.asarray(TABLE)])
def test_a_table(call: Callable[[], object]) -> None:
    assert "fix: pass its elements: `.to_numpy()`; columns of text are left out first" in text_of(
        call
    )


def test_a_table_with_a_column_of_text() -> None:
    assert text_of(lambda: tnp.asarray(TABLE.to_numpy())) == (
        "element type object is not supported\n"
        "  fix: arrays hold numbers only: convert with .astype(float), or leave out what is text, as columns of a "
        "table (`df.select_dtypes('number')`)"
    )


def test_within_a_library_the_users_line_comes_first() -> None:
    with pytest.raises(treadle.errors.ArgumentError) as caught:
        scipy.integrate.quad(lambda x: tnp.ones(3), 0, 1)  # here
    first, second = caught.value.__notes__[0].splitlines()
    assert first.startswith("  at test_messages.py:")
    assert "# here" in first
    assert second.startswith("    inside of _quadpack_py.py:")


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("numpy", "`np.asarray(x)`"),
        ("to", "`treadle.device_put(x, device)`, or `x.astype(dtype)`"),
        ("cuda", "`treadle.device_put(x, treadle.devices('cuda')[0])`"),
        ("backward", "differentiate a function: `treadle.grad(f)(x)`"),
        ("detach", "`treadle.lax.stop_gradient(x)`"),
    ],
)
def test_methods_of_other_libraries(name: str, fix: str) -> None:
    x = tnp.ones(3)
    assert text_of(lambda: getattr(x, name)) == (
        f"'Array' object has no attribute {name!r}\n  fix: {fix}"
    )
    assert not hasattr(x, name)
    assert not hasattr(type(x), name)
    assert name not in dir(x)
    treadle.jit(lambda traced: traced if hasattr(traced, name) is False else 1 / 0)(x)


def test_what_no_library_has() -> None:
    assert text_of(lambda: tnp.ones(3).no_such_method) == (  # type: ignore[attr-defined]
        "'Array' object has no attribute 'no_such_method'"
    )
    assert "'Array' and 'list'" in text_of(lambda: tnp.ones(3) - [1, 2])  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "known"), [("exp", "exponential"), ("sin", "sine"), ("mul", "multiply")]
)
def test_operations_that_have_other_names(name: str, known: str) -> None:
    assert text_of(lambda: getattr(ops, name)) == (
        f"module 'treadle_ir.ops' has no attribute {name!r}; its name here is {known!r}"
    )
    assert callable(getattr(ops, known))


def test_every_other_name_is_of_an_operation_that_there_is() -> None:
    others: dict[str, str] = ops._OTHER_NAMES  # type: ignore[attr-defined]
    assert [known for known in others.values() if not callable(getattr(ops, known, None))] == []
    assert [name for name in others if hasattr(ops, name)] == []


def test_an_unknown_setting_is_told_of_in_two_lines() -> None:
    text = text_of(lambda: treadle.config.update("jax_enable_x46", True))
    assert text == (
        "treadle has no setting 'jax_enable_x46'; did you mean 'treadle_enable_x64'?\n"
        "  fix: take a name that `print(*treadle.config.values)` shows"
    )


def test_the_mark_of_weak_types_is_explained() -> None:
    explained = "`*` marks a weak type: it came from a Python number"
    assert explained in text_of(lambda: treadle.jit(lambda x: float(x))(1.0))
    assert explained not in text_of(lambda: treadle.jit(lambda x: float(x))(np.float32(1)))


def test_a_donated_array() -> None:
    x = tnp.ones(3)
    treadle.jit(lambda x: x + 1, donate_argnums=0)(x)
    text = text_of(lambda: x + 1)
    assert text.startswith("Array has been deleted with shape=float32[3].\n  fix: use the result")
    assert "it was donated to <lambda>, at test_messages.py:" in text


@pytest.mark.parametrize(
    ("made", "run"),
    [
        ("differentiated, as under grad or vjp", lambda f: treadle.grad(f)(1.0)),
        ("vectorised, as under vmap", lambda f: treadle.vmap(f)(HOST)),
        (
            "staged, as under jit, or as the body of a loop, a branch or a checkpoint",
            lambda f: lax.cond(True, f, lambda x: x, 1.0),
        ),
        (
            "staged, as under jit, or as the body of a loop, a branch or a checkpoint",
            lambda f: treadle.grad(treadle.checkpoint(f))(1.0),
        ),
    ],
)
def test_a_tracer_that_escaped_says_what_made_it(
    made: str, run: Callable[[Callable[[Any], Any]], object]
) -> None:
    escaped = []

    def f(x: Any) -> Any:
        escaped.append(x * 2)
        return x

    run(f)
    said = f"the function it belongs to (`{f.__qualname__}`, {made}) had been traced"
    assert said in text_of(lambda: escaped[0] + 1)
