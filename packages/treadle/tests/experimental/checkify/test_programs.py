"""Control flow, calls, and functions with derivative rules, all with checks inside."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import UnsupportedError
from treadle.experimental import checkify
from treadle.experimental.checkify import check


def message(f: Any, *args: Any, errors: Any = checkify.user_checks) -> Any:
    """Return the message of a call, and the result, which are the same eagerly and compiled."""
    error, result = checkify.checkify(f, errors=errors)(*args)
    compiled, again = treadle.jit(checkify.checkify(f, errors=errors))(*args)
    assert compiled.get() == error.get()
    treadle.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), again, result)
    text = error.get()
    return None if text is None else text.removesuffix(" (`check` failed)"), result


def below(x: Any, bound: float, name: str) -> Any:
    check(x < bound, name + " {}", x)
    return x


@pytest.mark.parametrize(
    ("index", "x", "said"),
    [(0, 1.0, None), (0, 5.0, "first 5.0"), (1, 5.0, None), (1, 9.0, "second 9.0"), (2, 9.0, None)],
)
def test_the_branch_that_runs_is_checked(index: int, x: float, said: str | None) -> None:
    def f(i: Any, x: Any) -> Any:
        y = lax.switch(
            i,
            [lambda x: below(x, 3, "first"), lambda x: below(x, 7, "second") + 1, lambda x: x],
            x,
        )
        return below(y, 20, "after")

    assert message(f, index, x)[0] == said


def test_what_comes_first_is_reported() -> None:
    def f(x: Any) -> Any:
        x = below(x, 5, "before")
        x = lax.cond(x > 0, lambda x: below(x, 4, "inside"), lambda x: x, x)
        return below(x, 3, "after")

    assert message(f, 6.0)[0] == "before 6.0"
    assert message(f, 4.5)[0] == "inside 4.5"
    assert message(f, 3.5)[0] == "after 3.5"


@pytest.mark.parametrize(("reverse", "said"), [(False, "x -2.0"), (True, "x -3.0")])
def test_each_iteration_of_a_scan_is_checked(reverse: bool, said: str) -> None:
    def step(total: Any, x: Any) -> Any:
        check(x > 0, "x {}", x)
        check(total < 100, "total {}", total)
        return total + x, total

    xs = tnp.array([1.0, -2.0, -3.0, 4.0])
    text, (total, _) = message(lambda xs: lax.scan(step, 0.0, xs, reverse=reverse), xs)
    assert text == said
    assert float(total) == 0
    assert message(lambda xs: lax.scan(step, 0.0, xs), tnp.ones(3))[0] is None


def test_the_earlier_iteration_wins_over_the_earlier_check() -> None:
    def step(i: Any, x: Any) -> Any:
        check(i < 3, "late {}", i)
        check(i < 1, "early {}", i)
        return x

    assert message(lambda x: lax.fori_loop(0, 5, step, x), 1.0)[0] == "early 1"


def test_conditions_and_bodies_of_while_loops_are_checked() -> None:
    def f(x: Any, of_cond: Any, of_body: Any) -> Any:
        def cond(x: Any) -> Any:
            check(x < of_cond, "cond {}", x)
            return x < 5

        def body(x: Any) -> Any:
            check(x < of_body, "body {}", x)
            return x + 1

        return lax.while_loop(cond, body, x)

    assert message(f, 0, 9, 9) == (None, 5)
    assert message(f, 0, 3, 9) == ("cond 3", 5)
    assert message(f, 0, 9, 2) == ("body 2", 5)
    assert message(f, 0, 5, 9) == ("cond 5", 5)  # asked once more than the body runs
    assert message(f, 7, 7, 0) == ("cond 7", 7)  # the body does not run


def test_loops_of_batches_are_checked_inside_and_outside() -> None:
    def f(x: Any) -> Any:
        return lax.while_loop(lambda x: x < 5, lambda x: below(x, 3, "body") + 1, x)

    x = tnp.array([0, 9, 4])
    with pytest.raises(UnsupportedError, match="go different ways") as raised:
        checkify.checkify(treadle.vmap(f))(x)
    assert "vmap(checkify(f))" in "".join(raised.value.__notes__)
    error, y = treadle.vmap(checkify.checkify(f))(x)
    assert error.get() == "\n".join(
        f"at mapped index {i}: body {v} (`check` failed)" for i, v in [(0, 3), (2, 4)]
    )
    assert y.tolist() == [5, 9, 5]


def test_a_choice_by_batch_element_checks_each_one_s_branch() -> None:
    def f(x: Any) -> Any:
        return lax.cond(x > 0, lambda x: below(x, 3, "big"), lambda x: -x, x)

    with pytest.raises(UnsupportedError, match="case: batch elements go different ways"):
        checkify.checkify(treadle.vmap(f))(tnp.array([1.0, -9.0, 7.0]))
    error, y = treadle.vmap(checkify.checkify(f))(tnp.array([1.0, -9.0, 7.0]))
    assert error.get() == "at mapped index 2: big 7.0 (`check` failed)"
    assert y.tolist() == [1, 9, 7]


def test_jitted_and_checkpointed_functions_are_checked() -> None:
    inner = treadle.jit(lambda x: below(x, 3, "jitted"))
    saved = treadle.checkpoint(lambda x: below(tnp.sin(x), 0.5, "saved"))
    assert message(lambda x: inner(x) + 1, 4.0)[0] == "jitted 4.0"
    text, _ = message(lambda x: treadle.grad(saved)(x), 1.0)
    assert text is not None
    assert text.startswith("saved 0.84")


def test_derivatives_of_checked_functions_and_checked_derivatives() -> None:
    def f(x: Any) -> Any:
        return tnp.sin(below(x, 3, "x")) * x

    expected = np.cos(4.0) * 4 + np.sin(4.0)
    text, slope = message(treadle.grad(f), 4.0)
    assert text == "x 4.0"
    np.testing.assert_allclose(slope, expected, rtol=1e-6)

    def swapped(x: Any) -> Any:
        error, y = checkify.checkify(f)(x)
        return y, error

    slope, error = treadle.grad(swapped, has_aux=True)(4.0)
    np.testing.assert_allclose(slope, expected, rtol=1e-6)
    assert error.get() == "x 4.0 (`check` failed)"


def test_a_scan_with_checks_is_differentiated() -> None:
    def f(x: Any) -> Any:
        total, _ = lax.scan(lambda c, _: (below(c * x, 100, "c"), None), x, None, length=3)
        return total

    text, slope = message(treadle.grad(f), 2.0)
    assert text is None
    np.testing.assert_allclose(slope, 4 * 2.0**3, rtol=1e-6)
    assert message(treadle.grad(f), 4.0)[0] == "c 256.0"


def test_custom_derivative_rules_stay() -> None:
    @treadle.custom_jvp
    def f(x: Any) -> Any:
        return below(x, 3, "f") * 2

    f.defjvps(lambda dx, y, x: 100 * dx)

    @treadle.custom_vjp
    def g(x: Any) -> Any:
        return below(x, 3, "g") * 2

    g.defvjp(lambda x: (g(x), x), lambda x, ct: (7 * ct,))

    for function, name, slope in ((f, "f", 100), (g, "g", 7)):
        checked = checkify.checkify(function)

        def swapped(x: Any, checked: Any = checked) -> Any:
            error, y = checked(x)
            return y, error

        found, error = treadle.grad(swapped, has_aux=True)(4.0)
        assert float(found) == slope
        assert error.get() == f"{name} 4.0 (`check` failed)"
        batched, errors = treadle.vmap(treadle.grad(swapped, has_aux=True))(tnp.array([1.0, 4.0]))
        assert batched.tolist() == [slope, slope]
        assert errors.get() == f"at mapped index 1: {name} 4.0 (`check` failed)"
        assert message(function, 1.0)[0] is None


def test_categories_that_are_not_wanted_are_not_checked() -> None:
    def f(x: Any) -> Any:
        return lax.cond(x > 0, lambda x: below(x, 3, "x"), lambda x: x, x) / 0

    assert message(f, 4.0, errors=checkify.nan_checks)[0] is None
    assert message(f, 4.0, errors=checkify.div_checks)[0] == "division by zero"
    assert message(f, 4.0, errors=checkify.all_checks)[0] == "x 4.0"


SEVERAL = """
import numpy as np
import treadle, treadle.numpy as tnp
from treadle import lax
from treadle.experimental import checkify
from treadle.sharding import AxisType, PartitionSpec as P

x = np.arange(8.0, dtype=np.float32).reshape(2, 4) - 2.5
for kind in (AxisType.Auto, AxisType.Explicit):
    mesh = treadle.make_mesh((2, 4), ("a", "b"), (kind,) * 2)

    def part(x):
        total = lax.psum(x, "a")
        checkify.check((total > 5).all(), "{total} at {i}", total=total, i=lax.axis_index("b"))
        return tnp.log(x)

    mapped = treadle.shard_map(part, mesh=mesh, in_specs=P("a", "b"), out_specs=P("a", "b"))
    laid = treadle.device_put(x, treadle.sharding.NamedSharding(mesh, P("a", "b")))
    checked = checkify.checkify(mapped)
    for f in (checked, treadle.jit(checked), checkify.checkify(treadle.jit(mapped))):
        assert f(laid)[0].get() == "[[-1.]] at 0 (`check` failed)", f(laid)[0]
        error, y = f(laid + 5)
        assert error.get() is None
        np.testing.assert_allclose(y, np.log(x + 5), rtol=1e-6)
    error, _ = checkify.checkify(mapped, errors=checkify.nan_checks)(laid)
    assert error.get() == "nan generated by primitive: log."
    error, _ = checkify.checkify(treadle.grad(lambda x: mapped(x).sum()))(laid)
    assert error.get() == "[[-1.]] at 0 (`check` failed)"
mapped = treadle.pmap(lambda x: checkify.check(x > 3, "{x}", x=x))
assert checkify.checkify(mapped)(np.arange(8.0)[::-1])[0].get() == "3.0 (`check` failed)"
print("done")
"""


def test_devices_are_checked_and_the_first_that_fails_is_reported() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SEVERAL],
        env={**os.environ, "TREADLE_NUM_CPU_DEVICES": "8"},
        capture_output=True,
        text=True,
    )
    assert run.stdout.strip() == "done", run.stderr


def test_the_work_of_a_choice_grows_with_its_branches_and_not_with_their_square() -> None:
    def branch(number: int) -> Any:
        def f(x: Any) -> Any:
            checkify.check(x > number, "{x}", x=x)
            return x + number

        return f

    def size(count: int) -> int:
        branches = [branch(number) for number in range(count)]
        f = checkify.checkify(lambda i, x: lax.switch(i, branches, x))
        error, _ = f(2, 1.0)
        assert str(error.get()).startswith("1.0")
        program = treadle.make_jaxpr(f)(1, 2.0).program
        return sum(len(each.equations) for each in (program, *program.nested()))

    assert size(60) < 3 * size(30)


def _counter(x: Any) -> Any:
    """Two checks, which fail as a number grows from call to call; what they report says of which call it is."""
    check(x != 5, "five {} {n}", x, n=7)
    for bound in (40.0, 30.0):
        check(x < bound, "{} is too large", x)
    return x + 1


_AROUND: dict[str, Any] = {
    "jit": lambda f: f,
    "checkpoint": treadle.checkpoint,
    "scan": lambda f: lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=1)[0],
    "while": lambda f: (
        lambda x: lax.while_loop(lambda c: c[1] < 1, lambda c: (f(c[0]), c[1] + 1), (x, 0))[0]
    ),
    "cond": lambda f: lambda x: lax.cond(x > 1000, lambda y: y, f, x),
    "both": lambda f: lambda x: lax.cond(x > 7, f, lambda y: f(y), x),
}


def _tower(levels: int, around: Any) -> Any:
    """The counter, called twice by what is called twice, and so on."""

    def above(inner: Any) -> Any:
        return treadle.jit(around(lambda x: inner(inner(x))))

    f = treadle.jit(_counter)
    for _ in range(levels):
        f = above(f)
    return f


@pytest.mark.parametrize("around", _AROUND)
def test_sites_of_programs_that_are_called_again_say_what_plain_python_says(around: str) -> None:
    levels = 3
    f = _tower(levels, _AROUND[around])
    both = treadle.jit(checkify.checkify(f))
    starts = np.array([-9.0, -2.0, 4.0, 5.0, 6.0, 23.0, 29.0, 39.0, 40.0], np.float32)
    batched = treadle.jit(treadle.vmap(checkify.checkify(f)))(starts)[0]
    lines = []
    for place, start in enumerate(starts):
        said = None
        x = start
        for _ in range(2**levels):
            try:
                x = _counter(x)
            except treadle.errors.FailedCheckError as failed:
                said = said or str(failed).split("\n")[0]
                x = x + 1
        error, result = both(start)
        assert result == start + 2**levels
        assert error.get() == said
        if said is not None:
            lines.append(f"at mapped index {place}: {said}")
    assert batched.get() == "\n".join(lines)


def test_what_is_checked_again_has_no_more_sites() -> None:
    f = checkify.checkify(_tower(40, lambda f: f))
    program = treadle.jit(f).trace(np.float32(0)).program
    assert len(program.results) == 5  # the number, three values that two sites report, the result
