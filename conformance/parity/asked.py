"""The other side: answers questions with whatever package it is given; as a program, with jax.

A question is `{"do": name, ...}`; an answer is an array or a JSON value with arrays in it. treadle's own answers come
from the same functions, called with treadle's modules, so that both are asked the same thing.
"""

from __future__ import annotations

import importlib
import json
import operator
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

# What an error is an instance of, as far as programs care.
FAMILIES = {
    each.__name__: each
    for each in (TypeError, ValueError, IndexError, NotImplementedError, OverflowError)
}


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


def moved_keys(library: Any, question: dict[str, Any]) -> Any:
    """The words of keys after a function has moved or compared them; booleans as they are."""
    keys = library.random.split(library.random.key(question["seed"]), 6)
    n = library.numpy
    moves = {
        "reshape": lambda k: k.reshape(2, 3).T,
        "index": lambda k: k[n.asarray([5, 0, -1])],
        "slice": lambda k: k[4:1:-2],
        "out of range": lambda k: n.take(k, 9, mode="fill"),
        "stack": lambda k: n.stack([k[1], k[0]]),
        "concatenate": lambda k: n.concatenate([k[3:], k]),
        "where": lambda k: n.where(n.arange(6) % 2 == 0, k, k[0]),
        "set": lambda k: k.at[1].set(k[3]),
        "repeat": lambda k: n.repeat(k, 2),
        "zeros": lambda k: n.zeros_like(k),
        "equal": lambda k: k == k[2],
        "split of each": library.vmap(lambda k: library.random.split(k, 3)),
        "fold in of each": library.vmap(library.random.fold_in, (0, None)),
        "scan": lambda k: library.lax.scan(lambda c, x: (library.random.fold_in(c, 1), c), k[0], k)[
            1
        ],
    }
    move = moves[question["move"]]
    arguments = [keys, 7] if question["move"] == "fold in of each" else [keys]
    moved = (library.jit(move) if question["jit"] else move)(*arguments)
    return np.asarray(moved if moved.dtype == np.bool_ else library.random.key_data(moved))


MOVES = (
    *("reshape", "index", "slice", "out of range", "stack", "concatenate", "where", "set"),
    *("repeat", "zeros", "equal", "split of each", "fold in of each", "scan"),
)


def keywords(question: dict[str, Any]) -> dict[str, Any]:
    given = dict(question.get("keywords", {}))
    if "shape" in given:
        given["shape"] = tuple(given["shape"])
    return given


def made(library: Any, x: Any) -> Any:
    """An argument: JSON's numbers, strings and null are themselves, a dictionary says by its key what it stands for."""
    if isinstance(x, list):
        return [made(library, each) for each in x]
    if not isinstance(x, dict):
        return x
    if "array" in x:
        return library.numpy.asarray(np.asarray(x["array"], x["dtype"]))
    if "filled" in x:  # an array made from a seed, so that questions stay small
        return library.numpy.asarray(elements(**x["filled"]), dtype=x["filled"]["dtype"])
    if "weak" in x:
        return library.numpy.asarray(made(library, x["weak"]))
    if "numpy" in x:  # NumPy's array, or scalar
        return np.asarray(x["numpy"], x["dtype"])[()]
    if "complex" in x:
        return complex(*x["complex"])
    if "float" in x:
        return float(x["float"])
    if "slice" in x:
        return slice(*x["slice"])
    if "key" in x:
        return library.random.key(x["key"], impl=x.get("impl"))
    if "tuple" in x:
        return tuple(made(library, each) for each in x["tuple"])
    if "builtin" in x:
        return {"bool": bool, "int": int, "float": float, "complex": complex}[x["builtin"]]
    assert x == {"ellipsis": True}, x
    return ...


def remembered(library: Any, x: Any) -> Any:
    """`made`, once for each argument that is an array."""
    if not isinstance(x, dict) or not x.keys() & {"filled", "weak"}:
        return made(library, x)
    key = json.dumps(x)
    if key not in library.memory:
        library.memory[key] = made(library, x)
    return library.memory[key]


def elements(
    seed: int, shape: list[int], dtype: str, low: float = -4, high: float = 5, special: bool = False
) -> np.ndarray:
    """Random numbers of an element type that `low` and `high` bound; with `special`, NaN and infinities among them."""
    random = np.random.default_rng(seed)
    if dtype.startswith("bool"):
        return random.random(shape) < 0.5
    if dtype.startswith(("int", "uint")):
        low = max(low, 0) if dtype.startswith("uint") else low
        return random.integers(int(low), int(high), shape).astype(dtype)
    numbers = random.uniform(low, high, shape)
    if dtype.startswith("complex"):
        return (numbers + 1j * random.uniform(low, high, shape)).astype(dtype)
    if special and numbers.size:
        flat = numbers.reshape(-1)
        where = random.integers(0, flat.size, 1 + flat.size // 4)
        flat[where] = random.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], where.size)
    return numbers.astype("float32" if dtype in ("bfloat16", "float16") else dtype)


def called(library: Any, name: str) -> Any:
    """A function by its name: `numpy.sum`, `operator.add`, `method.sum` of the first argument."""
    where, _, attribute = name.partition(".")
    if where == "operator":
        return getattr(operator, attribute)
    if where == "method":
        return lambda x, *arguments, **keywords: getattr(x, attribute)(*arguments, **keywords)
    if where == "property":
        return lambda x: getattr(x, attribute)
    if where == "at":
        return lambda x, index, *arguments, **keywords: getattr(x.at[index], attribute)(
            *arguments, **keywords
        )
    if where == "rotation":  # `rotation.from_quat.as_matrix`: made from something, read as another
        make, *read = attribute.split(".")
        return lambda *arguments, **keywords: rotated(
            getattr(library.scipy.spatial.transform.Rotation, make)(*arguments, **keywords), read
        )
    if name == "slerp":
        return lambda times: motion(library, times.dtype)(times).as_quat()
    if where == "minimum":
        return lambda start, **keywords: minimum(library, attribute, start, **keywords)
    if where == "initializer":
        make = getattr(library.nn.initializers, attribute)
        return lambda key, shape, dtype, *arguments, **keywords: make(*arguments, **keywords)(
            key, tuple(shape), dtype
        )
    found = library
    for part in name.split("."):
        found = getattr(found, part)
    return found


def rotated(rotation: Any, read: list[str]) -> Any:
    """Apply the methods without arguments that `read` names, one after the other, to `rotation`."""
    for name in read:
        rotation = getattr(rotation, name)()
    return rotation


def motion(library: Any, dtype: Any) -> Any:
    """Three rotations at three times, and what lies between."""
    transform = library.scipy.spatial.transform
    turns = np.array([[0.1, 0.2, 0.3], [0.5, -0.2, 0.1], [-0.4, 0.3, 0.9]], dtype)
    rotations = transform.Rotation.from_rotvec(library.numpy.asarray(turns))
    return transform.Slerp.init(library.numpy.asarray([0.0, 1.0, 2.0], dtype), rotations)


def minimum(
    library: Any, name: str, start: Any, maxiter: int = 60, method: str = "BFGS"
) -> list[Any]:
    """Return the end of a search, to three digits; its `success` depends on the last bits of float32."""
    n = library.numpy
    functions = {
        "bowl": lambda x: n.sum((x - 1.5) ** 2 * n.arange(1, x.size + 1)),
        "valley": lambda x: n.sum((1 - x[:-1]) ** 2) + 10 * n.sum((x[1:] - x[:-1] ** 2) ** 2),
        "waves": lambda x: n.sum(x**2 + 0.3 * n.sin(3 * x)),
    }
    found = library.scipy.optimize.minimize(
        functions[name], start, method=method, options={"maxiter": maxiter}
    )
    return [n.round(found.x, 3), n.round(found.fun, 3)]


def call(library: Any, question: dict[str, Any]) -> Any:
    """The results of a function, or the families of the error it raises.

    With `"types": True` only their types and shapes; `library.types` says how.
    """
    function = called(library, question["of"])
    arguments = [remembered(library, x) for x in question["arguments"]]
    named = {key: remembered(library, x) for key, x in question.get("keywords", {}).items()}
    work = library.types if question.get("types") else lambda run: run()
    try:
        results = work(lambda: function(*arguments, **named))
    except Exception as error:
        return {
            "error": [name for name, each in FAMILIES.items() if isinstance(error, each)],
            "said": f"{type(error).__name__}: {error}"[:200],
        }
    return {"results": [told(words(library, each), question) for each in leaves(results)]}


def words(library: Any, x: Any) -> Any:
    """The words of random keys; anything else as it is."""
    is_key = str(getattr(x, "dtype", "")).startswith(("key<", "[('key<"))
    return library.random.key_data(x) if is_key else x


def derivatives(library: Any, question: dict[str, Any]) -> Any:
    """First and second derivatives of a function at several points, in reverse.

    The arguments have the points in front of their own axes. Results that are arrays are added up with weights, and so
    are first derivatives before the second are taken.
    """
    arguments = [np.asarray(x, "float64") for x in question["arguments"]]
    each = tuple(range(len(arguments)))

    def total(results: Any) -> Any:
        parts = [library.numpy.asarray(x).ravel() for x in leaves(results)]
        inexact = [x for x in parts if x.dtype.kind == "f"]
        return sum(library.numpy.sum(x * np.cos(0.3 * np.arange(x.size))) for x in inexact)

    def first(*xs: Any) -> Any:
        function = called(library, question["of"])
        return library.grad(lambda *ys: total(function(*ys, **question["keywords"])), each)(*xs)

    def both(*xs: Any) -> Any:
        return [first(*xs), library.grad(lambda *ys: total(first(*ys)), each)(*xs)]

    try:
        results = library.jit(library.vmap(both))(*arguments)
    except Exception as error:
        return {"error": [], "said": f"{type(error).__name__}: {error}"[:200]}
    return {"results": [told(found, question) for found in leaves(results)]}


def leaves(results: Any) -> list[Any]:
    """The arrays in nested tuples and lists."""
    if isinstance(results, (tuple, list)):
        return [leaf for each in results for leaf in leaves(each)]
    return [results]


def told(x: Any, question: dict[str, Any]) -> Any:
    """Type, shape, elements of an array; Python's values stay what they are."""
    if not hasattr(x, "dtype") or not hasattr(x, "shape"):
        return {"type": type(x).__name__, "value": repr(x)}
    weak = getattr(x, "weak_type", False)
    dtype = getattr(x.dtype, "name", str(x.dtype))
    answer: dict[str, Any] = {"type": f"{dtype}{'*' if weak else ''}", "shape": list(x.shape)}
    if not question.get("types"):
        array = np.asarray(x)
        answer["elements"] = array.astype("float32") if dtype == "bfloat16" else array
    return answer


def index_of(library: Any, parts: list[Any]) -> Any:
    index = [... if part == "..." else made(library, part) for part in parts]
    return index[0] if len(index) == 1 else tuple(index)


def indexing(library: Any, question: dict[str, Any]) -> Any:
    """Return what an index expression reads, or the array after a write through it."""
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


def promotion(library: Any, question: dict[str, Any]) -> Any:
    """The element type that each pair meets in, by the first's name and the second's; None where they do not meet."""
    python = {each.__name__: each for each in (bool, int, float, complex)}
    names = question["names"]

    def meeting(a: str, b: str) -> str | None:
        try:
            found = library.numpy.result_type(
                library.numpy.dtype(a), python[b[1:]] if b[0] == "*" else library.numpy.dtype(b)
            )
        except TypeError:  # and JAX's error of promotion, which is a ValueError
            return None
        except ValueError:
            return None
        return str(found)

    return {a: {b: meeting(a, b) for b in names + [f"*{each}" for each in python]} for a in names}


def small_types(library: Any, question: dict[str, Any]) -> Any:
    """The bytes of what functions of operators make of all pairs of elements of a type, under jit."""
    n, dtype = library.numpy, question["dtype"]
    elements = np.arange(1 << question["bits"], dtype="uint8").view(n.dtype(dtype))
    if question["signed"]:  # integers fill their bytes
        elements = np.arange(-(1 << question["bits"] - 1), 1 << question["bits"] - 1).astype(
            n.dtype(dtype)
        )
    x, y = (each.ravel() for each in np.meshgrid(elements, elements))
    functions = {
        "add": operator.add,
        "multiply": operator.mul,
        "negate": lambda x, y: -x,
        "less": operator.lt,
        "maximum": n.maximum,
        "where": lambda x, y: n.where(x > y, x, y),
        "to float32": lambda x, y: x.astype("float32"),
        "to int32": lambda x, y: n.where(x == x, x, y).astype("int32"),
        "from float32": lambda x, y: ((n.arange(1001, dtype="float32") - 500.5) / 64).astype(dtype),
    }
    jitted = library.jit(functions[question["of"]])
    found = np.asarray(jitted(library.numpy.asarray(x), library.numpy.asarray(y)))
    return np.ascontiguousarray(found).view("uint8")


NAMESPACES = ("numpy", "random", "lax", "nn", "scipy", "ops", "image")
SUBMODULES = (  # that are not there before they are imported
    *(
        "ops",
        "image",
        "scipy.special",
        "scipy.fft",
        "scipy.ndimage",
        "scipy.cluster.vq",
        "scipy.signal",
        "scipy.optimize",
        "scipy.spatial.transform",
    ),
)
DO = {
    "random": random_numbers,
    "keys": moved_keys,
    "call": call,
    "indexing": indexing,
    "derivatives": derivatives,
    "promotion": promotion,
    "small types": small_types,
}


def answer(library: Any, questions: list[dict[str, Any]]) -> list[Any]:
    """The answers of a library."""
    return [DO[question["do"]](library, question) for question in questions]


def packed(x: Any, arrays: dict[str, Any]) -> Any:
    """Return an answer with numbers instead of the arrays, which go to `arrays`."""
    if isinstance(x, np.ndarray):
        arrays[f"a{len(arrays)}"] = x
        return {"at": f"a{len(arrays) - 1}"}
    if isinstance(x, dict):
        return {key: packed(each, arrays) for key, each in x.items()}
    return [packed(each, arrays) for each in x] if isinstance(x, list) else x


def unpacked(x: Any, arrays: Any) -> Any:
    """Return the answer that `packed` decomposed."""
    if isinstance(x, dict):
        return arrays[x["at"]] if "at" in x else {k: unpacked(v, arrays) for k, v in x.items()}
    return [unpacked(each, arrays) for each in x] if isinstance(x, list) else x


def main() -> None:
    import jax  # noqa: PLC0415 - this process is jax's alone
    import jax.numpy  # noqa: PLC0415

    for name in SUBMODULES:
        importlib.import_module(f"jax.{name}")

    assert "treadle" not in sys.modules
    library = SimpleNamespace(
        **{name: getattr(jax, name) for name in NAMESPACES},
        **{name: getattr(jax, name) for name in ("jit", "grad", "vmap")},
        types=jax.eval_shape,
        memory={},
    )
    for line in sys.stdin:
        folder = Path(line.strip())
        arrays: dict[str, Any] = {}
        answers = []
        for question in json.loads((folder / "questions.json").read_text()):
            answers += answer(library, [question])
            print("answered", flush=True)
        packed_answers = packed(answers, arrays)
        np.savez(folder / "arrays.npz", **arrays)
        (folder / "answers.json").write_text(json.dumps(packed_answers))
        print("written", flush=True)


if __name__ == "__main__":
    main()
