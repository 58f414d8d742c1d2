"""Over explicit axes, types show the shardings of results, as JAX's do, and results have these shardings.

For each program of the pool, on a mesh of four by two devices:

* what `typeof` shows of the result, evaluated and within a jitted function, is JAX's answer (`answers.json`, made by
  `ask_jax.py`); where JAX refuses a program, so does treadle, except for the programs of `WIDER`;
* each device has the part of the result that the type says, evaluated and jitted;
* * values agree with the same program on one device.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.sharding.explicit.arrays import NAMES, POOL, SHAPE, arrays, shown
from treadle import errors, lax, nn, random, sharding
from treadle.sharding import AxisType, Mesh, PartitionSpec

ANSWERS: Final[dict[str, str]] = json.loads((Path(__file__).parent / "answers.json").read_text())[
    "answers"
]

# What JAX refuses and treadle does not, with what it answers: the layout follows, and values are right.
_OUT_SHARDING: Final = "float32[16@x,4]"
_MATRICES: Final = "float32[8@x,3,3]"
WIDER: Final = {
    # JAX reads them with a gather, whose rule does not know that they are slices.
    "x[:4]": "float32[4@x,4]",
    "x[::2]": "float32[4@x,4]",
    "repeat(x, 2, 0)": "float32[16@x,4]",
    # The replicated operand is resharded here, too.
    "select(x > 0, x, ones((8, 4)))": "float32[8@x,4]",
    "scan(lambda c, r: (c + r, c * 2), zeros(8), x.T)[1]": "float32[4,8@x]",
    "select(ones((8, 4)) > 0, x, x)": "float32[8@x,4]",
    "vjp(lambda x: x @ w, x)[1](ones((8, 8)))[0]": "float32[8@x,4]",
    # JAX fails within the function, where a replicated mask meets a sharded batch.
    "linalg.cholesky(reshard(stack([2 * eye(3)] * 8), P('x')))": _MATRICES,
    "linalg.qr(reshard(stack([2 * eye(3)] * 8), P('x')))[0]": _MATRICES,
    # Its loop over the coefficients is unrolled here.
    "polyval(ones(3), v)": "float32[8@x]",
}

SYSTEM: Final = SimpleNamespace(
    top=treadle,
    np=tnp,
    lax=lax,
    nn=nn,
    random=random,
    sharding=sharding,
    P=PartitionSpec,
)


@functools.cache
def mesh() -> Mesh:
    """Eight devices, with explicit axes."""
    return treadle.make_mesh(SHAPE, NAMES)


def whole(name: str) -> Any:
    """The result on one device. Any: an array."""
    alone = treadle.make_mesh((1, 1), NAMES, (AxisType.Auto,) * 2)
    with treadle.set_mesh(alone):
        return np.asarray(POOL[name](SYSTEM, arrays(SYSTEM)))


def check_shards(result: treadle.Array, said: str) -> None:
    """Check that each device has the shard that the type `said` describes."""
    names = said.partition("[")[2].removesuffix("]")
    spec = []
    for size in names.replace("(x,y)", "x+y").split(",") if names else []:
        _, _, divided = size.partition("@")
        spec.append(tuple(divided.split("+")) if divided else None)
    if result.sharding.num_devices == 1:
        assert not any(spec), f"{result.sharding} is one device, but the type is {said}"
        return
    wanted = sharding.NamedSharding(mesh(), PartitionSpec(*spec))
    indices = wanted.devices_indices_map(result.shape)
    host = np.asarray(result)
    for shard in result.addressable_shards:
        expected = host[indices[shard.device]]
        assert shard.data.shape == expected.shape, f"{result.sharding} is not {said}"
        np.testing.assert_array_equal(np.asarray(shard.data), expected)


def law(name: str) -> None:
    """One program."""
    program, answer = POOL[name], WIDER.get(name, ANSWERS[name])
    seen: list[str] = []

    def traced(x: Any, y: Any, w: Any, v: Any, n: Any) -> Any:  # Any: arrays
        result = program(SYSTEM, SimpleNamespace(x=x, y=y, w=w, v=v, n=n, r=given.r))
        seen.append(shown(treadle.typeof(result)))
        return result

    with treadle.set_mesh(mesh()):
        given = arrays(SYSTEM)
        jitted = functools.partial(treadle.jit(traced), given.x, given.y, given.w, given.v, given.n)
        if answer.startswith("refused"):
            for run in (functools.partial(program, SYSTEM, given), jitted):
                with pytest.raises(errors.ShardingTypeError) as caught:
                    run()
                notes = getattr(caught.value, "__notes__", [])
                assert any("fix:" in note for note in notes), notes
            return
        result = program(SYSTEM, given)
        assert shown(treadle.typeof(result)) == answer
        check_shards(result, answer)
        compiled = jitted()
        assert seen == [answer]
        check_shards(compiled, answer)
    expected = whole(name)
    for found in (result, compiled):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-5, atol=2e-6)


def pool_and_answers() -> None:
    """Each program has an answer, and those that go further are refused by JAX."""
    assert {*POOL} == {*ANSWERS}
    assert all(ANSWERS[name].startswith("refused") for name in WIDER)
    assert sum(not answer.startswith("refused") for answer in ANSWERS.values()) > 200


LAWS: Final = {"pool_and_answers": pool_and_answers} | {
    name: functools.partial(law, name) for name in POOL
}
