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

from treadle.running import code_of, compiled, run_code, run_file
from treadle_jax.hook import install


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
            run_code(compiled(what, "<string>"), None)
        return 0
    try:
        code = code_of(first)
    except OSError as error:
        print(f"treadle_jax: cannot read {first}: {error.strerror}", file=sys.stderr)
        return 2
    run_file(code, first, rest)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
