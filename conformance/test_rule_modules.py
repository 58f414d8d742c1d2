"""The modules that a package of rules lists for a family have all rules of the family's primitives."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

import pytest

pytestmark = pytest.mark.programs

TABLES: Final = {
    "treadle_autodiff.rules": "treadle_autodiff:jvp_rules,linearize_rules,transpose_rules",
    "treadle_batching.rules": "treadle_batching:batch_rules",
    "treadle_compiler.lowering": "treadle_compiler:lowering_rules",
    "treadle_ir.reference": "treadle_ir:eval_rules",
}

# What a look-up finds in a process that has imported the modules of one family is compared with what it finds in a
# process that has imported all: each process is a copy of the first one, which has imported no rule.
CODE: Final = """
import importlib, json, os, sys
import jaxlib.mlir.ir
from treadle_compiler.registry import platform_rules
from treadle_ir.core.registry import find_primitive, mnemonics

def in_copy(work):
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with open(reader) as found:
            answer = json.loads(found.read())
        os.wait()
        return answer
    with open(writer, "w") as found:
        found.write(json.dumps(work()))
    os._exit(0)

def described(table, primitive):
    rule = table.get(primitive)
    return None if rule is None else f"{rule.__module__}.{rule.__qualname__}"

def rules(primitives):
    return {
        primitive.name: [
            *[described(table, primitive) for table in tables],
            *[described(table, primitive) for _, table in sorted(platform_rules.items())],
        ]
        for primitive in primitives
    }

def of_all():
    for table in tables:
        list(table)
    return rules(map(find_primitive, mnemonics()))

home, _, names = sys.argv[1].partition(":")
tables = [getattr(importlib.import_module(home), name) for name in names.split(",")]
families = {}
for name in mnemonics():
    primitive = find_primitive(name)
    families.setdefault(primitive.__module__, []).append(primitive)
expected = in_copy(of_all)
wrong = {}
for family in families.values():
    for name, found in in_copy(lambda: rules(family)).items():
        if [each for each in found if each] != [each for each in expected[name] if each]:
            wrong[name] = found, expected[name]
print(json.dumps([len(expected), wrong]))
"""


@pytest.mark.parametrize("package", TABLES)
def test_the_modules_of_a_family_have_all_its_rules(package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, TABLES[package]], capture_output=True, text=True, check=True
    )
    count, wrong = json.loads(done.stdout)
    assert count > 150
    assert not wrong


@pytest.mark.parametrize("package", TABLES)
def test_all_rules_are_in_modules_that_are_listed(package: str) -> None:
    """Compare with what all modules register: a new module that is listed nowhere would never be imported."""
    code = f"""
import importlib, pkgutil, sys
from treadle_compiler.registry import platform_rules

def known():
    return [{{*table._rules, *table._absent}} for table in (*tables, *platform_rules.values())]

package = importlib.import_module({package!r})
home, _, names = {TABLES[package]!r}.partition(":")
tables = [getattr(importlib.import_module(home), name) for name in names.split(",")]
for table in tables:
    list(table)
of_listed = known()
for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(info.name)
assert known() == of_listed
"""
    subprocess.run([sys.executable, "-c", code], check=True)
