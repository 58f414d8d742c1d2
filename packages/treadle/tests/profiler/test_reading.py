from __future__ import annotations

import pytest

from treadle import profiler
from treadle.profiler import reading


def test_the_parts_of_a_profile_have_classes() -> None:
    text = 'planes { name: "device" lines { name: "stream" } }'
    data = profiler.ProfileData.from_serialized_xspace(
        profiler.ProfileData.text_proto_to_serialized_xspace(text)
    )
    (plane,) = data.planes
    assert isinstance(plane, profiler.ProfilePlane)
    (line,) = plane.lines
    assert isinstance(line, profiler.ProfileLine)
    assert isinstance(profiler.ProfileEvent, type)


def test_other_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match="no attribute 'ProfileDate'"):
        _ = reading.ProfileDate  # type: ignore[attr-defined]
