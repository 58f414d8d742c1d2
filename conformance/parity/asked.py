"""The other side: answers questions with whatever package is named on the command line; jax by default.

A question is `{"do": name, ...}`; an answer is an array (in arrays.npz under its number) or a JSON value. treadle's
own answers come from the same functions, called with treadle's modules, so that both are asked the same thing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np


def random_numbers(library: Any, question: dict[str, Any]) -> Any:
    """Numbers drawn by a function of `random`."""
    key = library.random.key(question["seed"])
    for data in question.get("fold_in", ()):
        key = library.random.fold_in(key, data)
    arguments = [made(library, x) for x in question.get("arguments", ())]

    def draw(key: Any) -> Any:
        return getattr(library.random, question["function"])(key, *arguments, **keywords(question))

    drawn = library.jit(draw)(key) if question.get("jit") else draw(key)
    if question["function"] in ("split", "fold_in"):
        drawn = library.random.key_data(drawn)
    return np.asarray(drawn)


def made(library: Any, x: Any) -> Any:
    return library.numpy.asarray(np.asarray(x["array"], x["dtype"])) if isinstance(x, dict) else x


def keywords(question: dict[str, Any]) -> dict[str, Any]:
    given = dict(question.get("keywords", {}))
    if "shape" in given:
        given["shape"] = tuple(given["shape"])
    return given


def operand(library: Any, name: str) -> Any:
    """An array of an element type, or a Python number for `int`, `float`, ...; `weak_f` is a weak array."""
    python = {"bool": True, "int": 2, "float": 1.5, "complex": 1 + 2j}
    if name in python:
        return python[name]
    if name.startswith("weak_"):
        return library.numpy.asarray(python[name[5:]])
    return library.numpy.ones((2,), name)


def promotion(library: Any, question: dict[str, Any]) -> Any:
    """Element type and weakness of an operation of two operands."""
    left, right = operand(library, question["left"]), operand(library, question["right"])
    try:
        result = getattr(library.numpy, question["function"])(left, right)
    except TypeError:
        return "TypeError"
    weak = getattr(result, "weak_type", False)
    return f"{np.dtype(result.dtype).name}{'*' if weak else ''}"


def index_of(library: Any, parts: list[Any]) -> Any:
    index: list[Any] = []
    for part in parts:
        if part is None or isinstance(part, int):
            index.append(part)
        elif part == "...":
            index.append(...)
        elif "slice" in part:
            index.append(slice(*part["slice"]))
        else:
            index.append(made(library, part))
    return index[0] if len(index) == 1 else tuple(index)


def indexing(library: Any, question: dict[str, Any]) -> Any:
    """What an index expression reads, or what an array is after it was written to there."""
    shape = tuple(question["shape"])
    x = library.numpy.arange(int(np.prod(shape)), dtype="int32").reshape(shape)
    index = index_of(library, question["index"])
    try:
        if question["how"] == "get":
            return np.asarray(x[index])
        if question["how"] == "fill":
            return np.asarray(x.at[index].get(mode="fill", fill_value=-7))
        return np.asarray(getattr(x.at[index], question["how"])(5))
    except (IndexError, TypeError, ValueError) as error:
        return {"error": type(error).__name__}


DO = {"random": random_numbers, "promotion": promotion, "indexing": indexing}


def answer(library: Any, questions: list[dict[str, Any]]) -> list[Any]:
    """The answers of a library."""
    return [DO[question["do"]](library, question) for question in questions]


def main() -> None:
    import jax  # noqa: PLC0415 - this process is jax's alone
    import jax.numpy  # noqa: PLC0415

    assert "treadle" not in sys.modules
    folder = Path(sys.argv[1])
    library = SimpleNamespace(numpy=jax.numpy, random=jax.random, jit=jax.jit)
    answers = answer(library, json.loads((folder / "questions.json").read_text()))
    arrays: dict[str, Any] = {
        f"a{i}": x for i, x in enumerate(answers) if isinstance(x, np.ndarray)
    }
    np.savez(folder / "arrays.npz", **arrays)
    shown = ["array" if isinstance(x, np.ndarray) else x for x in answers]
    (folder / "answers.json").write_text(json.dumps(shown))


if __name__ == "__main__":
    main()
