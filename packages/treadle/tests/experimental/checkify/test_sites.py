from __future__ import annotations

from treadle.experimental import checkify


def test_sets_of_categories() -> None:
    assert checkify.float_checks == checkify.nan_checks | checkify.div_checks
    assert checkify.all_checks - checkify.automatic_checks == checkify.user_checks
    assert checkify.automatic_checks == checkify.float_checks | checkify.index_checks
    assert all(issubclass(each, checkify.JaxRuntimeError) for each in checkify.all_checks)
