import pytest

import treadle
from treadle import export
from treadle.errors import ArgumentError
from treadle.export.container import pack, unpack

pytestmark = pytest.mark.xla


def test_what_comes_back() -> None:
    function = treadle.jit(lambda x: (x + 1, x.astype(int)), donate_argnums=0)
    exported = export.export(function, platforms=["cpu", "cuda"])(2.5)
    data = exported.serialize()
    assert isinstance(data, bytearray)
    again = export.deserialize(data)
    for name in (
        *("fun_name", "in_tree", "in_avals", "out_tree", "out_avals", "platforms", "donated"),
        *("ordered_effects", "unordered_effects", "disabled_safety_checks", "nr_devices"),
        *("calling_convention_version", "in_shardings_hlo", "out_shardings_hlo"),
        *("module_kept_var_idx", "mlir_module_serialized"),
    ):
        assert getattr(again, name) == getattr(exported, name), name
    assert again.mlir_module("cuda") == exported.mlir_module("cuda")
    assert again.serialize() == data


def test_other_releases() -> None:
    header, arrays = unpack(export.export(treadle.jit(lambda x: x))(1.0).serialize())
    with pytest.raises(
        ArgumentError, match="has format 99, and this release reads formats 1 and 2"
    ) as caught:
        export.deserialize(pack({**header, "format": 99, "treadle": "7.0"}, arrays))
    assert "  fix: it was written by treadle 7.0: install that release, or a later one" in (
        caught.value.__notes__
    )
    newer = {**header["functions"][0], "calling_convention": 1000}
    with pytest.raises(
        ArgumentError, match="calling convention 1000, and this release reads 10 to 10"
    ):
        export.deserialize(pack({**header, "functions": [newer]}, arrays))
    added = {**header, "new": 1, "functions": [{**header["functions"][0], "shardings": None}]}
    assert export.deserialize(pack(added, arrays)).call(2.0) == 2  # fields of later releases
