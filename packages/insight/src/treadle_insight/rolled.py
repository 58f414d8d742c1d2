"""The fix of an unrolled loop, written out: a `fori_loop`, a `scan` or a `vmap` with the user's names."""

from __future__ import annotations

import ast
import re
from typing import Final

from treadle_insight.loop_syntax import WrittenLoop
from treadle_insight.unrolled import UnrolledLoop

_LONG: Final = 8  # lines of a body that are not repeated in the fix
_ELEMENT: Final = re.compile(r"(\w+)\[(\w+)\]")


def fix_of(loop: UnrolledLoop) -> tuple[str, str]:
    """Return the fix of an unrolled loop: one sentence, and code, which is empty where it cannot be written out.

    Args:
        loop: the facts about it.
    """
    written = loop.written
    if written is None:
        if loop.is_one_call:
            return (
                "Call a function that loops inside of the program, or write it as a `lax.scan`.",
                "",
            )
        return "Let the program loop: `lax.fori_loop`, `lax.scan` or `vmap`, not Python.", ""
    if written.word == "while":
        return (
            f"Use `{written.spelled.name('lax.while_loop')}`, or a `fori_loop` of a fixed length.",
            "",
        )
    if loop.reaches_back:
        return "Use `lax.scan`, with what earlier iterations leave behind in its carry.", ""
    if not loop.carried:
        return _as_vmap(loop, written)
    if written.word == "comprehension":
        return "Use `lax.scan`, with what an iteration hands to the next one as its carry.", ""
    state = _state(loop, written)
    bounds = written.bounds
    if bounds is not None:
        lists = _lists(loop, written)
        code = "" if state is None or lists is None else _fori(written, state, bounds, lists)
        return "Write it as a `fori_loop`.", code
    code = ""
    target, iterated = written.target, written.iterated
    if state is not None and target is not None and iterated is not None and _stacks(iterated):
        code = _scan(loop, written, state, target, iterated)
    return "Stack what each iteration takes, and write it as a `scan`.", code


def _state(loop: UnrolledLoop, written: WrittenLoop) -> str | None:
    """Return the carried variables as one expression; None if the body is not a function of them."""
    names = sorted({each.name for each in loop.carried})
    assigned = written.assigned
    lost = (assigned & written.used_later) - set(
        names
    )  # the last values, which the new loop would not give
    if not written.is_plain or not set(names) <= assigned or lost:
        return None
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _lists(loop: UnrolledLoop, written: WrittenLoop) -> list[str] | None:
    """Return the lists whose elements the iterations take by number; None if they take other values, too."""
    if loop.is_counted:
        return []
    found = []
    for each in loop.different:
        match = _ELEMENT.fullmatch(each)
        if match is not None and match[2] == written.counter:
            found.append(match[1])
        elif each != written.counter:
            return None
    return found


def _body(written: WrittenLoop) -> list[str]:
    lines = written.body
    return lines if len(lines) <= _LONG else ["...  # the body of the loop"]


def _fori(written: WrittenLoop, state: str, bounds: tuple[str, str], lists: list[str]) -> str:
    spelled = written.spelled
    lines = [f"{each} = {spelled.stack}*{each})" for each in lists]
    lines.append(f"def body({written.counter}, {_parameter(state)}):")
    lines += [f"    {line}" for line in [*_unpacked(state), *_body(written)]]
    lines.append(f"    return {state}")
    lines.append(f"{state} = {spelled.name('lax.fori_loop')}({', '.join(bounds)}, body, {state})")
    return "\n".join(lines)


def _scan(
    loop: UnrolledLoop, written: WrittenLoop, state: str, target: ast.expr, iterated: ast.expr
) -> str:
    assigned, source = ast.unparse(target), ast.unparse(iterated)
    spelled = written.spelled
    element = assigned if isinstance(target, ast.Name) else "each"
    lines = [f"def body({_parameter(state)}, {element}):"]
    unpacked = [] if element == assigned else [f"{assigned.strip('()')} = each"]
    lines += [f"    {line}" for line in [*_unpacked(state), *unpacked, *_body(written)]]
    lines.append(f"    return {state}, None")
    stacked = source if loop.is_counted else f"{spelled.stack}*{source})"
    lines.append(f"{state}, _ = {spelled.name('lax.scan')}(body, {state}, {stacked})")
    return "\n".join(lines)


def _parameter(state: str) -> str:
    return "state" if state.startswith("(") else state


def _unpacked(state: str) -> list[str]:
    return [f"{state.strip('()')} = state"] if state.startswith("(") else []


def _stacks(iterated: ast.expr) -> bool:
    """Return whether the elements of what the loop goes through can be stacked, as far as the source shows it."""
    return ".items()" not in ast.unparse(iterated)


def _as_vmap(loop: UnrolledLoop, written: WrittenLoop) -> tuple[str, str]:
    """Return the fix where no iteration needs another one."""
    fix = "The iterations do not depend on each other: use `vmap`, or `lax.map` to save memory."
    node, target, iterated = written.node, written.target, written.iterated
    if not isinstance(node, ast.ListComp | ast.GeneratorExp) or target is None or iterated is None:
        return fix, ""
    spelled = written.spelled
    source = ast.unparse(iterated)
    if written.bounds is not None:
        if not loop.is_counted:
            return fix, ""
        elements = (
            f"{spelled.name('numpy.arange')}({', '.join(written.bounds).removeprefix('0, ')})"
        )
    elif loop.is_counted:  # the elements of an array
        elements = source
    elif isinstance(target, ast.Name) and _stacks(iterated):
        elements = f"{spelled.stack}*{source})"
    else:
        return fix, ""
    function = f"lambda {ast.unparse(target)}: {ast.unparse(node.elt)}"
    return fix, f"{spelled.name('vmap')}({function})({elements})"
