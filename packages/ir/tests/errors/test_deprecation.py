"""Deprecated functions warn at the user's line, once for each line by default, and do what they did."""

import inspect
import warnings

import pytest

from treadle_ir.errors import deprecated, warn_deprecated


@deprecated(since="0.2", until="0.4", instead="use `new`")
def old(x, *, twice=False):
    """Return x plus one."""
    return x + (2 if twice else 1)


MESSAGE = "`old` is deprecated since 0.2 and will be removed in 0.4: use `new`"


def test_a_deprecated_function_warns_at_the_line_of_its_call_and_does_what_it_did() -> None:
    with pytest.warns(DeprecationWarning, match="`old`") as caught:
        assert old(1, twice=True) == 3
    (warning,) = caught
    assert str(warning.message) == MESSAGE
    assert warning.filename == __file__
    lines, first = inspect.getsourcelines(
        test_a_deprecated_function_warns_at_the_line_of_its_call_and_does_what_it_did
    )
    assert "old(1, twice=True)" in lines[warning.lineno - first]


def test_by_default_each_line_warns_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            old(1)
        assert len(caught) == 1
        old(2)
        assert len(caught) == 2


def test_a_deprecated_function_shows_itself() -> None:
    assert old.__name__ == "old"
    assert old.__doc__ == "Return x plus one."
    assert str(inspect.signature(old)) == "(x, *, twice=False)"
    assert old.__deprecated__ == MESSAGE


def test_an_argument_is_deprecated_by_a_call() -> None:
    with pytest.warns(DeprecationWarning, match="^the argument `a` of f is deprecated since 1.0"):
        warn_deprecated("the argument `a` of f", since="1.0", until="2.0", instead="leave it out")
