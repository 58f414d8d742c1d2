"""The explanations of treadle-insight: `explain`, `watch` and `findings`; stand-ins where it is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, final

if TYPE_CHECKING:
    from treadle_insight import explain as explain, findings as findings, watch as watch
else:
    try:
        from treadle_insight import explain, findings, watch
    except ModuleNotFoundError as error:
        if error.name != "treadle_insight":
            raise

        @final
        class _NotInstalled:
            """Stands for a name of treadle-insight, and says how to install it when it is used."""

            def __init__(self, name: str) -> None:
                self._name = name

            def _refuse(self) -> NoReturn:
                message = f"treadle.{self._name} is a part of the distribution treadle-insight, which is not installed"
                fix = "python -m pip install packages/insight (in a checkout of treadle)"
                raise ModuleNotFoundError(f"{message}\n  fix: {fix}", name="treadle_insight")

            def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:  # Any: of users
                self._refuse()

            def __getitem__(self, key: object) -> NoReturn:
                self._refuse()

            def __iter__(self) -> NoReturn:
                self._refuse()

            def __repr__(self) -> str:
                return f"<treadle.{self._name}, of treadle-insight, which is not installed>"

        explain, findings, watch = map(_NotInstalled, ("explain", "findings", "watch"))
