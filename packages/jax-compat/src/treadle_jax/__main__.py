"""`python -m treadle_jax script.py`, `-m module` or `-c code`: a program of JAX's on treadle.

python -m treadle_jax train.py --steps 100
python -m treadle_jax -m package.train --steps 100
python -m treadle_jax -c "import jax; print(jax.devices())"
python -m treadle_jax --check train.py package/    which names of JAX's they take that treadle lacks
"""

from __future__ import annotations

import os
import runpy
import sys
from types import CodeType, ModuleType

from treadle_jax.hook import install


def _compiled(source: str | bytes, name: str) -> CodeType:
    """Return code as Python compiles it: `compile` alone would apply the `from __future__` of this file."""
    return compile(source, name, "exec", dont_inherit=True)


def _run(code: CodeType, file: str | None) -> None:
    """Run code as the main module, which stays: classes that it pickles and threads that it starts need it."""
    main = ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __spec__=None)
    if file is not None:
        main.__file__ = file
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


def main(arguments: list[str]) -> int:
    """Put the hook in, then do as `python` does with these arguments."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    install()
    first, *rest = arguments
    if first == "--check":
        if not rest:
            print("treadle_jax: --check needs a file or a folder", file=sys.stderr)
            return 2
        from treadle_jax.check import check  # noqa: PLC0415 - programs that run need none of it

        return check(rest)
    if first in ("-m", "-c"):
        if not rest:
            print(f"treadle_jax: {first} needs an argument", file=sys.stderr)
            return 2
        what, *rest = rest
        sys.path[0] = os.getcwd() if first == "-m" else ""
        sys.argv = [first, *rest]
        if first == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            _run(_compiled(what, "<string>"), None)
        return 0
    path = os.path.abspath(first)
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print(f"treadle_jax: cannot read {first}: {error.strerror}", file=sys.stderr)
        return 2
    sys.path[0] = os.path.dirname(path)
    sys.argv = [first, *rest]
    _run(_compiled(source, path), path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
