"""Releases of distributions, compared with the ranges that other distributions declare."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias, final

Release: TypeAlias = tuple[int, ...]

_COMPARED: Final[Mapping[str, Callable[[Release, Release], bool]]] = MappingProxyType(
    {
        ">=": operator.ge,
        "<=": operator.le,
        "==": operator.eq,
        "!=": operator.ne,
        ">": operator.gt,
        "<": operator.lt,
    }
)
_PARTS: Final = 6  # of a release that are compared


@final
@dataclass(frozen=True)
class Requirement:
    """A requirement of a distribution, such as `jaxlib>=0.10.2,<0.13`.

    Attributes:
        name: the normalised name of the required distribution.
        ranges: the comparisons that its release has to satisfy, as text.
    """

    name: str
    ranges: tuple[str, ...]

    def allows(self, version: str) -> bool:
        """Return whether a release satisfies all comparisons.

        Args:
            version: the release.

        Example:
            >>> needed = requirement("jaxlib>=0.10.2,<0.13")
            >>> needed.allows("0.10.2"), needed.allows("0.13.0")
            (True, False)
        """
        here = release(version)
        for each in self.ranges:
            found = re.fullmatch(r"\s*(>=|<=|==|!=|>|<)\s*([\d.]+)\s*", each)
            if found is not None and not _COMPARED[found[1]](here, release(found[2])):
                return False
        return True

    def __str__(self) -> str:
        return f"{self.name}{','.join(sorted(self.ranges, reverse=True))}"


def normalised(name: str) -> str:
    """Return the name of a distribution in the form in which the index compares names.

    Args:
        name: the name.

    Example:
        >>> normalised("ml_dtypes")
        'ml-dtypes'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement(text: str) -> Requirement | None:
    """Return a requirement as a distribution's metadata gives it; None for one of an extra.

    Args:
        text: the requirement.

    Example:
        >>> str(requirement("jaxlib<0.13,>=0.10.2"))
        'jaxlib>=0.10.2,<0.13'
        >>> requirement('rich>=13; extra == "rich"') is None
        True
    """
    required, _, condition = text.partition(";")
    found = re.fullmatch(r"\s*([\w.-]+?)\s*(?:\[[^]]*\])?\s*\(?((?:[<>=!].*?)?)\)?\s*", required)
    if "extra" in condition or found is None:
        return None
    return Requirement(
        normalised(found[1]), tuple([each.strip() for each in found[2].split(",") if each])
    )


def release(version: str) -> Release:
    """Return the numbers of a release, without what follows them.

    Args:
        version: the release.

    Example:
        >>> release("580.65.06") == release("580.65.6"), release("0.13.0rc1") >= release("0.13")
        (True, True)
    """
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(each) for each in found[0].split(".")] if found is not None else []
    return tuple([*numbers, *[0] * _PARTS][:_PARTS])
