"""Random programs with a fixed seed, and the tool itself: a wrong rule is found, shrunk and printed."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any

import pytest

import treadle
from conformance import effort
from conformance.random_programs import oracles
from conformance.random_programs.draw import Draw
from conformance.random_programs.hunt import Hunt
from conformance.random_programs.oracles import judged
from conformance.random_programs.peer import Peer
from conformance.random_programs.program import Argument, Call, Case, Nested, Program
from conformance.random_programs.run import loaded
from conformance.random_programs.script import for_jax, script
from conformance.random_programs.shrink import shrunk

_PARTS = 5
_EACH = 4 * effort.TIMES

_X = Argument("a1", "float32", (3,), (0.5, -1.25, 2.0))
_TANH = Call("tnp.tanh", ("v3",), "tnp.tanh({0})", ("p2",))
_SQUARE = Call("tnp.square", ("v4",), "tnp.square({0})", ("v3",))
_BODY = Program(("p2",), (_TANH, _SQUARE), ("v4", "v3"))
_MAPPED = Nested("vmapped", ("v5", "v6"), "f7", _BODY, (("a1", "a1"),))
_AFTER = Call("tnp.exp", ("v8",), "tnp.exp({0})", ("v6",))
_CASE = Case(Program(("a1",), (_MAPPED, _AFTER), ("v8", "v5")), (_X,), False)


@pytest.mark.parametrize("part", range(_PARTS))
def test_random_programs_agree_in_every_way_to_run_them(part: int) -> None:
    hunt = Hunt(effort.SEED * _PARTS + part)
    for _ in range(_EACH):
        failure = hunt.one()
        assert failure is None, f"{failure['detail']}\n\n{failure['script']}"
    # Most results must have been compared: a tool that skips everything finds nothing.
    assert hunt.compared.total() > 5 * _EACH
    assert min(hunt.compared[way] for way in oracles.WAYS) > 0


def test_the_same_seed_draws_the_same_program() -> None:
    assert [Draw(f"7:{i}").case() for i in range(4)] == [Draw(f"7:{i}").case() for i in range(4)]


def test_programs_use_nested_helpers_and_many_types() -> None:
    cases = [Draw(f"3:{i}").case() for i in range(25)]
    assert max(case.program.depth() for case in cases) == 4
    found = {each.dtype for case in cases for each in case.arguments}
    assert {"bfloat16", "float16", "int8", "complex64", "key", "bool", "float64"} <= found


# Instead of JAX: repeats what it is sent, unless that is to wait or to end.
_ECHO = """
import json, sys, time
for line in sys.stdin:
    source, _ = json.loads(line)
    if source == "wait":
        time.sleep(600)
    if source == "end":
        sys.exit(3)
    print(json.dumps(source), flush=True)
"""


def test_a_program_that_takes_too_long_or_ends_the_peer_is_answered_by_saying_so() -> None:
    with Peer([sys.executable, "-c", _ECHO], devices=1) as peer:
        limit, peer.limit = peer.limit, 1.0
        assert peer.answer("wait", False) == "TimeoutError: no answer in 1 seconds"
        peer.limit = limit
        assert peer.answer("second", False) == "second"
        assert peer.answer("end", False) == "the process ended: 3"
        assert peer.answer("third", False) == "third"


def test_a_planted_wrong_way_is_found_and_shrunk_to_its_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(function: Any, arguments: list[Any]) -> Any:
        """As if compilation made of tanh the identity."""
        right = treadle.numpy.tanh
        with monkeypatch.context() as patch:
            patch.setattr(treadle.numpy, "tanh", lambda x: right(x) + treadle.numpy.float32(0.5))
            return function(*arguments)

    monkeypatch.setitem(oracles.WAYS, "jit", wrong)
    outcome = judged(_CASE)
    assert outcome.fault == "jit"
    small = shrunk(_CASE, lambda case: judged(case, "jit").fault == "jit")
    assert [*small.program.functions()] == ["tnp.tanh"]
    assert small.program.depth() == 0
    assert small.arguments[0].numbers == (1.0, 1.0, 1.0)
    assert shrunk(_CASE, lambda case: judged(case, "jit").fault == "jit") == small


def test_a_script_runs_by_itself() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(script(_CASE, "vmap"), {})
    assert printed.getvalue().count("eager:") == 1
    assert printed.getvalue().count("vmap:") == 1


def test_a_script_for_jax_names_treadle_nowhere_but_as_its_name() -> None:
    imports = [line for line in for_jax(script(_CASE)).splitlines() if "import" in line]
    assert "import jax as treadle" in imports
    assert not any("treadle" in line.replace("import jax as treadle", "") for line in imports)


def test_plain_helpers_are_loops_over_rows() -> None:
    function, arguments = loaded(_CASE, plain=True)
    with_loops = oracles.elements(function(*arguments))
    assert [x.shape for x in with_loops] == [(2, 3), (2, 3)]
    assert judged(_CASE).fault is None
