"""What a platform lacks is exactly what the table says: nothing is skipped that could run, or without a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cases import chosen
from conformance.platform import MISSING, NOT_RUN, why_not_run
from conformance.variants import is_opaque
from treadle_compiler import lower_program, lowering_rules
from treadle_ir import MissingRuleError, bind, stage

pytestmark = pytest.mark.programs


@pytest.mark.parametrize("platform", ["cpu", "cuda", "tpu"])
def test_the_table_names_what_is_missing(platform: str) -> None:
    lacking, lowered = set(), set()
    for example in chosen():
        primitive = example.primitive
        status = lowering_rules.status(type(primitive))
        if is_opaque(example) or status == "absent" or primitive.name == "platform_index":
            continue  # platform_index runs on the platforms that it names
        program = stage(lambda *xs, p=primitive: list(bind(p, *xs)), *example.types).program
        try:
            lower_program(program, platform=platform)
        except MissingRuleError:
            lacking.add(primitive.name)
        else:
            lowered.add(primitive.name)
    assert lacking == {name for name, where in MISSING if where == platform}
    assert len(lowered) > 150


def test_tests_that_are_not_run_are_there() -> None:
    here = Path(__file__).parent
    for place, kind in NOT_RUN:
        assert (here / place).exists(), place
        assert kind in ("gpu", "tpu")
        test = place if place.endswith(".py") else f"{place}/test_together.py"
        assert why_not_run(f"conformance/{test}::test", kind) is not None
        assert why_not_run(f"conformance/{test}::test", "cpu") is None
        assert why_not_run("conformance/test_types.py::test", kind) is None
