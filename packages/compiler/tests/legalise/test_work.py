from treadle_compiler.legalise.work import WORK
from treadle_ir.core.registry import find_primitive


def test_what_has_work_is_a_primitive() -> None:
    assert all(find_primitive(name) is not None for name in WORK)
