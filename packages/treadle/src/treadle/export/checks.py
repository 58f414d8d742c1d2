"""Which platform is exported for by default, and which safety checks a user may turn off."""

from __future__ import annotations

from typing import final

from treadle_ir.errors import names
from treadle_ir.process import frozen
from treadle_runtime import devices


@final
@frozen
class DisabledSafetyCheck:
    """A safety check that `export` or `Exported.call` leaves out; made by its static methods.

    Example:
        >>> from treadle.export import DisabledSafetyCheck
        >>> DisabledSafetyCheck.platform()
        DisabledSafetyCheck.platform()
    """

    kind: str

    @staticmethod
    def platform() -> DisabledSafetyCheck:
        """Let an exported function run on platforms that it was not exported for."""
        return DisabledSafetyCheck("platform")

    @staticmethod
    def custom_call(target_name: str) -> DisabledSafetyCheck:
        """Allow a custom call; nothing is checked here, since programs are lowered where they are loaded."""
        names("DisabledSafetyCheck.custom_call", target_name=target_name)
        return DisabledSafetyCheck(f"custom_call:{target_name}")

    def is_custom_call(self) -> str | None:
        """Return the custom call that is allowed, if this is such a check."""
        kind, _, target = self.kind.partition(":")
        return target if kind == "custom_call" else None

    def __repr__(self) -> str:
        target = self.is_custom_call()
        name = "platform()" if target is None else f"custom_call({target!r})"
        return f"DisabledSafetyCheck.{name}"


def default_export_platform() -> str:
    """Return the platform that `export` lowers for by default: the default device's platform.

    Example:
        >>> from treadle import export
        >>> export.default_export_platform() in ("cpu", "cuda", "rocm", "tpu")
        True
    """
    return devices()[0].backend.platform
