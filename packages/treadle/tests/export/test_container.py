import numpy as np
import pytest

from treadle.errors import ArgumentError
from treadle.export.container import _DIGEST, _MAGIC, array_type, pack, unpack
from treadle_ir.core import dtypes


def test_round_trip_of_every_element_type() -> None:
    arrays = [np.zeros((2, 3), dtype) for dtype in dtypes.NAMES]
    arrays += [
        np.arange(6, dtype=np.int16).reshape(3, 2).T,
        np.asarray(np.float32(2)),
        np.zeros((0, 4)),
    ]
    header, found = unpack(pack({"b": [1, None], "a": "é"}, [np.asarray(x) for x in arrays]))
    assert header == {"a": "é", "b": [1, None]}
    for one, other in zip(found, arrays, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == np.ascontiguousarray(other).tobytes()


def test_the_same_bytes_for_the_same_content() -> None:
    assert pack({"a": 1, "b": 2}, []) == pack({"b": 2, "a": 1}, [])


def test_what_is_wrong_is_named() -> None:
    data = pack({"a": 1}, [np.ones(3, np.float32)])
    for wrong, message in (
        (3, "must be the bytes that `serialize` gave"),
        (b"", "these 0 bytes are not an artefact"),
        (b"PK" + data, "are not an artefact"),
        (data[:30], "cut off after 30 bytes"),
        (data[:-1], "cut off or was changed"),
        (data + b"x", "cut off or was changed"),
    ):
        with pytest.raises(ArgumentError, match=message):
            unpack(wrong)


def test_what_follows_under_a_right_checksum_is_refused() -> None:
    data = pack({"a": 1}, [np.ones(3, np.float32)])
    longer = data[len(_MAGIC) + 32 :] + b"more"
    with pytest.raises(ArgumentError, match="4 bytes follow the artefact's last array"):
        unpack(_MAGIC + _DIGEST(longer).digest() + longer)


@pytest.mark.parametrize(
    "text", [None, "", "f32", "f33[2]", "f32[-1]", "f32[2]]", "f32[a]", "f32[9" + "9" * 60]
)
def test_no_types(text: object) -> None:
    with pytest.raises(ArgumentError, match="is not a type, such as"):
        array_type(text)
