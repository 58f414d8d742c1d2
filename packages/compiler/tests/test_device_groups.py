"""Each notation of groups, with the groups that it stands for."""

from __future__ import annotations

import pytest

from treadle_compiler import ModuleError
from treadle_compiler.device_groups import device_groups

PAIRS_APART = ((0, 4), (1, 5), (2, 6), (3, 7))
PAIRS_NEAR = ((0, 1), (2, 3), (4, 5), (6, 7))
MESHES = "mesh['a'=2,'b'=4]"


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("{{0,4},{1,5},{2,6},{3,7}}, dimensions={0}", PAIRS_APART),
        ("{{0,1,2},{3}}", ((0, 1, 2), (3,))),
        ("{}, to_apply=%add", (tuple(range(8)),)),
        ("[2,4]<=[8], to_apply=%add", ((0, 1, 2, 3), (4, 5, 6, 7))),
        ("[4,2]<=[2,4]T(1,0)", PAIRS_APART),
        ("[2,4]<=[2,2,2]T(1,0,2)", ((0, 1, 4, 5), (2, 3, 6, 7))),
        (f"{MESHES} {{'a'}}, dimensions={{0}}", PAIRS_APART),
        (f"{MESHES} {{'b'}}", ((0, 1, 2, 3), (4, 5, 6, 7))),
        (f"{MESHES} {{'a','b'}}", (tuple(range(8)),)),
        (f"{MESHES} {{'b','a'}}", ((0, 4, 1, 5, 2, 6, 3, 7),)),
        (f"{MESHES} {{'b':(1)2}}", ((0, 2), (1, 3), (4, 6), (5, 7))),
        (f"{MESHES} {{'b':(2)2}}", PAIRS_NEAR),
        (f"{MESHES} {{'a','b':(1)2}}", ((0, 2, 4, 6), (1, 3, 5, 7))),
        (f"{MESHES}, device_ids=([4,2]T(1,0)) {{'a'}}", PAIRS_NEAR),
        ("mesh['a'=8], device_ids=([8]) {'a':(2)2}", ((0, 2), (1, 3), (4, 6), (5, 7))),
        ("mesh['a'=8] {}", tuple((number,) for number in range(8))),
    ],
)
def test_groups(text: str, groups: tuple[tuple[int, ...], ...]) -> None:
    assert device_groups(text, 8) == groups


@pytest.mark.parametrize("text", ["", "?", "<=[8]", "mesh {'a'}"])
def test_an_unknown_notation(text: str) -> None:
    with pytest.raises(ModuleError, match="not known") as raised:
        device_groups(text, 8)
    assert "jaxlib" in raised.value.__notes__[-1]
