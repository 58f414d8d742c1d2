import pytest

from treadle.errors import ArgumentError
from treadle.export import DisabledSafetyCheck, default_export_platform


def test_checks_are_values() -> None:
    assert DisabledSafetyCheck.platform() == DisabledSafetyCheck.platform()
    call = DisabledSafetyCheck.custom_call("mine")
    assert repr(call) == "DisabledSafetyCheck.custom_call('mine')"
    assert (call.is_custom_call(), DisabledSafetyCheck.platform().is_custom_call()) == (
        "mine",
        None,
    )
    with pytest.raises(ArgumentError, match="target_name must be a string"):
        DisabledSafetyCheck.custom_call(3)  # type: ignore[arg-type]


@pytest.mark.xla
def test_default_platform() -> None:
    assert default_export_platform() == "cpu"
