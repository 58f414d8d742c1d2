"""What a platform lacks is exactly what the table says: nothing is skipped that could run, or without a reason."""

from __future__ import annotations

import pytest

from conformance.cases import chosen
from conformance.platform import MISSING
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
