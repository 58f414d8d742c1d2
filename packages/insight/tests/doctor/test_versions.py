"""Releases and ranges."""

from __future__ import annotations

import pytest

from treadle_insight.doctor.versions import release, requirement


@pytest.mark.parametrize(
    ("text", "version", "allowed"),
    [
        ("jaxlib<0.13,>=0.10.2", "0.10.2", True),
        ("jaxlib<0.13,>=0.10.2", "0.12.9", True),
        ("jaxlib<0.13,>=0.10.2", "0.13", False),
        ("jaxlib<0.13,>=0.10.2", "0.9.1", False),
        ("jaxlib (>=0.10.2)", "0.10.1", False),
        ("jax-cuda13-plugin[with-cuda]<0.13,>=0.10.2", "0.13.0", False),
        ("numpy", "1.0", True),
        ("numpy!=2.2.0", "2.2", False),
        ("numpy>2", "2.0", False),
        ("numpy<=2", "2.0.1", False),
        ("numpy==2.1", "2.1.0", True),
        ('numpy>=2.1; python_version >= "3.11"', "2.0", False),
    ],
)
def test_a_range_allows_releases(text: str, version: str, allowed: bool) -> None:
    needed = requirement(text)
    assert needed is not None
    assert needed.allows(version) == allowed


@pytest.mark.parametrize("text", ['rich>=13; extra == "rich"', "", "???"])
def test_what_is_no_requirement_of_all(text: str) -> None:
    assert requirement(text) is None


def test_names_are_compared_as_the_index_does() -> None:
    assert str(requirement("ML_Dtypes>=0.5")) == "ml-dtypes>=0.5"


@pytest.mark.parametrize(
    ("older", "newer"), [("9.9", "10.0"), ("535.183.01", "580.65.06"), ("0.9.9", "0.10")]
)
def test_releases_are_compared_by_their_numbers(older: str, newer: str) -> None:
    assert release(older) < release(newer)
