"""Methods that are jitted: the error names `self` and its class, and the finding does."""

from __future__ import annotations

from pathlib import Path

import pytest

import treadle
from conformance.insight.programs import line_of, only, report_of, report_under_jax

METHOD = """\
import treadle
import treadle.numpy as tnp

class Model:
    def __init__(self, factor):
        self.factor = factor

    @treadle.jit
    def calc(self, x):
        return self.factor * x

with treadle.watch() as report:
    try:
        Model(2.0).calc(tnp.ones(3))
    except TypeError as error:
        notes = "\\n".join(error.__notes__)
        assert "interpreting argument self of calc" in notes
        assert "`self` is of class Model" in notes
        assert "(static.self)" in notes
"""
UNHASHABLE = """\
from dataclasses import dataclass
from functools import partial
import treadle
import treadle.numpy as tnp

@dataclass(frozen=True)
class Model:
    sizes: list

    @partial(treadle.jit, static_argnums=0)
    def calc(self, x):
        return len(self.sizes) * x

with treadle.watch() as report:
    try:
        Model([1, 2]).calc(tnp.ones(3))
    except ValueError as error:
        assert str(error).startswith("Non-hashable static arguments are not supported.")
        notes = "\\n".join(error.__notes__)
        assert "`self` is of class Model, whose field `sizes` is a list, which is not hashable" in notes
"""


@pytest.mark.installed
@pytest.mark.parametrize(("text", "line"), [(METHOD, 14), (UNHASHABLE, 16)])
def test_self_is_named_with_its_class(text: str, line: int, tmp_path: Path) -> None:
    finding = only(report_of(text, tmp_path), "static")
    assert finding.kind == "static.self"
    assert "`self` is of class Model" in finding.what
    assert finding.place is not None
    assert finding.place.line == line


@pytest.mark.installed
def test_under_the_import_hook(tmp_path: Path) -> None:
    (found,) = report_under_jax(METHOD, tmp_path).findings()
    assert (found.kind, line_of(found)) == ("static.self", 14)


def test_other_arguments_are_no_methods() -> None:
    f = treadle.jit(lambda x, how: x, static_argnames="how")
    with treadle.watch("static") as seen, pytest.raises(ValueError, match="Non-hashable") as caught:
        f(1.0, how=[1])
    assert any("`how` is of class list" in note for note in caught.value.__notes__)
    assert not seen.findings()
