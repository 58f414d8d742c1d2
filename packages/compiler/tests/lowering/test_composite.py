from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_ir import ArrayType, UnsupportedError, bind, ops, stage
from treadle_ir.primitives.composite import Composite, PlatformIndex
from treadle_ir.primitives.control import Case

F32 = ArrayType((), np.dtype("f4"))
SINE = stage(lambda x: [ops.sine(x)], F32).program
COSINE = stage(lambda x: [ops.cosine(x)], F32).program


def test_a_composite_names_its_decomposition() -> None:
    settings = (("flag", True), ("n", -3), ("scale", 0.5), ("text", 'a"\\é'))
    composite = Composite(SINE, "my.sine", 2, settings)
    program = stage(lambda x: bind(composite, ops.add(bind(composite, x)[0], x)), F32).program
    text = lower_program(program).text
    assert text.count('"stablehlo.composite"') == 2
    assert text.count('name = "my.sine"') == 2
    assert "version = 2 : i32" in text
    assert '"flag" = true, "n" = -3 : i64, "scale" = 0x3FE0000000000000 : f64' in text
    assert '"text" = "a\\22\\5C\\C3\\A9"' in text
    assert text.count("func.func") == 2  # the decomposition once


def test_only_the_branch_of_the_platform_is_lowered() -> None:
    def choice(x):
        index = ops.platform_index(platforms=("cpu",))
        return bind(Case((SINE, COSINE)), index, x)

    program = stage(choice, F32).program
    for platform, name, other in (("cpu", "sine", "cosine"), ("cuda", "cosine", "sine")):
        text = lower_program(program, platform=platform).text
        assert f"stablehlo.{name}" in text
        assert f'"stablehlo.{other}"' not in text
        assert "stablehlo.if" not in text


def test_what_has_no_function_for_a_platform_is_not_lowered_for_it() -> None:
    program = stage(lambda: bind(PlatformIndex(("tpu", "cuda"), or_others=False))).program
    assert "constant" in lower_program(program, platform="tpu").text
    with pytest.raises(UnsupportedError, match="runs on cpu, none of tpu, cuda"):
        lower_program(program, platform="cpu")
