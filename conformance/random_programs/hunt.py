"""A run over many programs: draws, judges, shrinks what fails, and counts."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, final

import treadle
from conformance.random_programs.draw import Draw
from conformance.random_programs.oracles import Outcome, compare, judged
from conformance.random_programs.peer import Peer
from conformance.random_programs.program import Case
from conformance.random_programs.run import HELPERS, NAMES
from conformance.random_programs.script import for_jax, script
from conformance.random_programs.shrink import shrunk


@final
class Hunt:
    """A run with a seed: a program is named by the seed and its number, and drawn from them alone."""

    def __init__(self, seed: int, peer: Peer | None = None) -> None:
        self.seed = seed
        self.peer = peer
        self.count = 0
        self.steps = 0
        self.failures: list[dict[str, Any]] = []
        self.compared: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.functions: Counter[str] = Counter()
        self.depths: Counter[int] = Counter()
        self._seen: set[tuple[str, str]] = set()

    def one(self) -> dict[str, Any] | None:
        """Draw and judge the next program, and give the failure where it is of a kind not seen before."""
        number, self.count = self.count, self.count + 1
        draw = Draw(f"{self.seed}:{number}", len(treadle.devices()))
        case = draw.case()
        self.refused += draw.refused
        if not case.program.results:
            self.skipped["nothing was drawn"] += 1
            return None
        self.functions.update(case.program.functions())
        self.depths[case.program.depth()] += 1
        self.steps += case.program.size()
        outcome = self._judged(case, None)
        self.compared += outcome.compared
        self.skipped += outcome.skipped
        if outcome.fault is None:
            return None
        return self._failure(number, case, outcome.fault, outcome.detail)

    def _judged(self, case: Case, only: str | None) -> Outcome:
        """`judged`, and then what JAX says."""
        outcome = judged(case, only)
        if self.peer is None or outcome.fault is not None or only not in (None, "jax"):
            return outcome
        answer = self.peer.answer(for_jax(NAMES + HELPERS + case.text()), case.x64)
        if isinstance(answer, str):
            outcome.skipped[f"jax: {re.sub('[0-9]+', 'N', answer)[:90]}"] += 1
            return outcome
        different = compare(outcome.results, answer, outcome.noise, outcome, "jax")
        if different:
            outcome.fault, outcome.detail = "jax", different
        return outcome

    def _failure(self, number: int, case: Case, law: str, detail: str) -> dict[str, Any] | None:
        """Shrink a failure, and record it unless one of its kind was recorded before."""

        def fails(smaller: Case) -> bool:
            try:
                found = self._judged(smaller, law)
            except Exception:  # a reduction that is not a valid program
                return False
            return found.fault == law and _kind(found.detail) == _kind(detail)

        small = shrunk(case, fails)
        kind = law, " ".join(sorted({*small.program.functions()})) + _kind(detail)
        if kind in self._seen:
            self.skipped["a failure of a kind that was recorded"] += 1
            return None
        self._seen.add(kind)
        failure = {
            "program": f"{self.seed}:{number}",
            "law": law,
            "detail": self._judged(small, law).detail[:400],
            "steps": small.program.size(),
            "x64": small.x64,
            "text": small.text(),
        }
        self.failures.append(failure)
        return {**failure, "script": script(small, law)}

    def report(self) -> dict[str, Any]:
        """All counts, for a file."""
        return {
            "seed": self.seed,
            "programs": self.count,
            "steps": self.steps,
            "programs by depth": {str(depth): n for depth, n in sorted(self.depths.items())},
            "functions and helpers drawn": len(self.functions),
            "results compared": dict(self.compared.most_common()),
            "not compared": dict(self.skipped.most_common()),
            "steps refused while drawing": self.refused.total(),
            "failures": self.failures,
        }


def _kind(detail: str) -> str:
    """Return what shrinking must not change: the error's class, or "numbers"."""
    error = re.match(r"(\w+(Error|Exception)): ", detail)
    return error[1] if error else "numbers"
