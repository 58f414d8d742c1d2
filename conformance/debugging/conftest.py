"""As users run it: the runtime evaluates. Each test leaves the process's settings as they were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle_ir.settings import process_context


@pytest.fixture(autouse=True)
def settings_as_before() -> Iterator[None]:
    before = process_context[0]
    yield
    process_context[0] = before
