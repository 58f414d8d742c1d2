"""Errors about traced arrays: the name of the array before its type, and the function that owned it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import run_program
from treadle_ir.errors import ConcretizationError, EscapedTracerError, source

pytestmark = pytest.mark.installed

HEAD = """\
import numpy as np
import treadle
import treadle.numpy as tnp

kept = []
class Box: pass
box = Box()

"""
CONCRETE = {
    "if": ("h = tnp.sin(x).sum()\n    if h: return h", "`h: f32[]`"),
    "compared": ("big = x.sum() > 0\n    if big: return x", "`big: bool[]`"),
    "float": ("h = x[0]\n    return float(h)", "`h: f32[]`"),
    "NumPy": ("h = tnp.sin(x)\n    return np.sin(h)", "`h: f32[3]`"),
    "attribute": ("box.h = x[0]\n    return int(box.h)", "`box.h: f32[]`"),
    "unpacked": ("low, high = tnp.split(x, [1])\n    return np.sin(high)", "`low, high: f32[2]`"),
    "no name": ("if x.sum() > 0: return x", "of type bool[]"),
    "an argument": ("if x: return x", "of type f32[3]"),
}


@pytest.mark.parametrize("case", CONCRETE)
def test_the_name_of_an_array_without_elements(case: str, tmp_path: Path) -> None:
    body, named = CONCRETE[case]
    text = f"{HEAD}@treadle.jit\ndef f(x):\n    {body}\n\nf(tnp.ones(3))\n"
    with pytest.raises(ConcretizationError) as caught:
        run_program(text, tmp_path)
    assert f"a traced array {named}" in str(caught.value)


def test_values_inside_of_a_call_do_not_have_the_name_of_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library_of_treadle.py"
    library.write_text("def is_odd(x):\n    return bool(x % 2)\n")
    monkeypatch.setattr(source, "_IS_INTERNAL", {str(library): True, **source._IS_INTERNAL})
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "from library_of_treadle import is_odd\n" + HEAD
    text += "@treadle.jit\ndef f(x):\n    odd = is_odd(x)\n    return odd\n\nf(1)\n"
    with pytest.raises(ConcretizationError) as caught:
        run_program(text, tmp_path)
    assert "a traced array of type i32[]" in str(caught.value)


ESCAPED = {
    "jit": ("treadle.jit(f)(x)", "`h: f32[3]`"),
    "grad": ("treadle.grad(f)(x)", "of type f32[3]"),
    "jvp": ("treadle.jvp(f, (x,), (x,))", "of type f32[3]"),
    "vjp": ("treadle.vjp(f, x)", "of type f32[3]"),
    "vmap": ("treadle.vmap(f)(tnp.ones((2, 3)))", "of type f32[3]"),
    "scan": ("treadle.lax.scan(lambda c, _: (c, f(c)), x, None, 2)", "`h: f32[3]`"),
    "cond": ("treadle.lax.cond(True, f, f, x)", "`h: f32[3]`"),
    "checkpoint": ("treadle.grad(treadle.checkpoint(f))(x)", "`h: f32[3]`"),
}


@pytest.mark.parametrize("case", ESCAPED)
def test_the_function_that_owned_a_tracer(case: str, tmp_path: Path) -> None:
    call, named = ESCAPED[case]
    text = HEAD + "def f(x):\n    h = tnp.sin(x)\n    kept.append(h)\n    return h.sum()\n"
    text += f"x = tnp.ones(3)\n{call}\nkept[0] + 1\n"
    with pytest.raises(EscapedTracerError) as caught:
        run_program(text, tmp_path)
    said = str(caught.value)
    assert f"a traced array {named} was used after the function it belongs to" in said
    owner = "<lambda>" if case == "scan" else "f"
    assert f"(`{owner}`, " in said
