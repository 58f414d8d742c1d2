import subprocess
import sys
import threading
from typing import ClassVar

import pytest

from treadle_ir import Elementwise, MissingRuleError, Primitive, RuleTable
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.elementwise import Add, Sine, Unary


def table():
    return RuleTable("test", "test_rule", "folder")


def test_a_rule_is_found_by_class_then_by_family():
    rules = table()
    rules.register(Elementwise, "family")
    rules.register(Sine, "own")
    assert rules[Sine()] == "own"
    assert rules[Add()] == "family"
    assert [rules.status(cls) for cls in (Sine, Add)] == ["rule", "family"]


def test_the_nearest_family_wins():
    rules = table()
    rules.register(Elementwise, "wide")
    rules.register(Unary, "narrow")
    assert rules[Sine()] == "narrow"


def test_rules_of_another_primitive_are_never_inherited():
    class Concrete(Primitive):
        name: ClassVar[str] = "concrete"

        def infer(self, *operands):
            return operands

    class Derived(Concrete):
        name: ClassVar[str] = "derived"

    rules = table()
    rules.register(Concrete, "rule")
    with pytest.raises(MissingRuleError, match="derived has no test rule"):
        rules[Derived()]


def test_a_missing_rule_says_where_to_write_it():
    with pytest.raises(MissingRuleError) as raised:
        table()[Sine()]
    assert any(
        "@test_rule(Sine) in folder/elementwise.py" in note for note in raised.value.__notes__
    )


def test_a_missing_rule_of_a_users_primitive_says_how_to_register_one():
    class Own(Primitive):
        name: ClassVar[str] = "own"

        def infer(self, *operands):
            return operands

    rules = RuleTable("test", "test_rule", "treadle_test/rules")
    note = "`from treadle_test import test_rule`, then @test_rule(Own) above the rule"
    with pytest.raises(MissingRuleError) as raised:
        rules[Own()]
    assert any(note in line for line in raised.value.__notes__)


def test_a_rule_that_another_thread_registers_during_a_lookup_is_found_from_then_on():
    rules = table()
    registered = threading.Thread(target=lambda: rules.register(Sine, "rule"))
    search = rules._search

    def slow(primitive):
        found = search(primitive)
        if not registered.ident:
            registered.start()
            registered.join(0.2)
        return found

    rules._search = slow
    assert rules.get(Sine) is None
    registered.join()
    assert rules.get(Sine) == "rule"


def test_an_absent_rule_says_why():
    rules = table()
    rules.absent(Sine, because="it is a test")
    assert rules.status(Sine) == "absent"
    with pytest.raises(MissingRuleError, match="sine has no test rule: it is a test"):
        rules[Sine()]


def test_an_absent_rule_may_say_it_in_its_own_words():
    rules = table()
    rules.absent(Sine, because="it is a test", error=lambda: DerivativeError("not this way"))
    assert rules.status(Sine) == "absent"
    with pytest.raises(DerivativeError, match="not this way"):
        rules[Sine()]


def test_rules_are_registered_once():
    rules = table()
    rules.register(Sine, "one")
    with pytest.raises(ValueError, match="already"):
        rules.register(Sine, "two")


def test_rules_are_wrapped_meanwhile():
    rules = table()
    rules.register(Elementwise, "family")
    assert rules[Sine()] == "family"
    with rules.wrapping(lambda rule: f"watched {rule}"):
        assert rules[Sine()] == "watched family"
        with rules.wrapping(str.upper):
            assert rules[Sine()] == "FAMILY"
        assert rules[Sine()] == "watched family"
    assert rules[Sine()] == "family"


def test_a_rule_that_comes_after_a_look_up_in_vain_is_found():
    rules = table()
    assert rules.get(Sine) is None
    assert rules.get(Sine) is None
    rules.register(Unary, "late")
    assert rules.get(Sine) == "late"
    rules.absent(Sine, because="it is a test")
    assert rules.get(Sine) is None


def test_a_look_up_imports_the_modules_of_the_primitives_family_alone():
    code = """
import sys
from treadle_ir import eval_rules
from treadle_ir.primitives.elementwise import Add
from treadle_ir.primitives.linear_algebra import Cholesky
others = ["linear_algebra", "special.engine"]
others = [*[f"treadle_ir.reference.{name}" for name in others], "treadle_ir.formulas.table", "numpy.polynomial"]
assert eval_rules.get(Add) is not None
assert not [name for name in others if name in sys.modules]
assert eval_rules.get(Cholesky) is not None
assert "treadle_ir.reference.linear_algebra" in sys.modules
assert "treadle_ir.reference.window" not in sys.modules
assert Add in list(eval_rules) and "treadle_ir.reference.window" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_look_up_imports_no_more_where_the_family_has_no_rule():
    code = """
import sys
from treadle_ir import eval_rules
from treadle_ir.primitives.custom_vmap import CustomVmapCall
from treadle_ir.primitives.partitioned import CustomPartitioning
assert eval_rules.get(CustomPartitioning) is not None  # of its abstract family
assert eval_rules.get(CustomVmapCall) is None  # stated to have none
assert "treadle_ir.reference.window" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_look_up_imports_all_modules_for_a_users_primitive_without_a_rule():
    code = """
import sys
from typing import ClassVar, final
from treadle_ir import Attributeless, eval_rules
@final
class Mine(Attributeless):
    name: ClassVar[str] = "mine"
    def infer(self, *operands): return operands
assert eval_rules.get(Mine) is None
assert "treadle_ir.reference.window" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_table_whose_package_lists_no_modules_imports_the_package() -> None:
    rules: RuleTable[str] = RuleTable(
        "test", "test_rule", "no_such_folder", package="treadle_ir.core.rules"
    )
    assert rules.get(Sine) is None
