"""`python -m treadle_ir`: programs in the text format, as files. It needs NumPy and ml_dtypes, nothing else.

opt FILE --passes cse,dce --verify    run passes, print the program
cost FILE                             operations, bytes moved and peak memory
run FILE [ARGUMENT ...]               evaluate the program with NumPy
dot FILE, svg FILE                    draw the program
diff LEFT RIGHT                       where two programs differ first

`-` as a file is standard input. The exit code is 0 if all is well; 1 if programs differ, a program is not valid, or it
cannot be run or drawn; 2 if the command cannot be understood or a file is not a program.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from treadle_ir import drawing
from treadle_ir.analysis.cost import equation_costs, program_cost
from treadle_ir.analysis.memory import peak_memory
from treadle_ir.core.dtypes import is_key
from treadle_ir.core.printing import print_equation, print_program
from treadle_ir.core.program import Program
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, ParseError, TreadleError
from treadle_ir.rewrite.pass_manager import PASSES, PassManager
from treadle_ir.testing.examples import sample
from treadle_ir.text.difference import first_difference
from treadle_ir.text.parser import parse_program
from treadle_ir.tracing.interpreter import interpret

FAILED: Final = 1
USAGE: Final = 2
_LARGEST: Final = 10  # equations that `cost` shows
_DOMAIN: Final = (-2.0, 2.0)  # of random arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code.

    Args:
        arguments: the command and its arguments; `sys.argv[1:]` by default.
    """
    chosen = _parser().parse_args(arguments)
    try:
        return _run(chosen)
    except BrokenPipeError:  # the reader of the output has ended, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (OSError, ParseError, UnicodeDecodeError) as error:
        return _explained(error, USAGE)
    except TreadleError as error:
        return _explained(error, FAILED)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.command == "diff":
        return _diff(chosen.left, chosen.right)
    program = _read(chosen.file)
    if chosen.command == "opt":
        try:
            passes = PassManager(chosen.passes, verify_each=chosen.verify)
        except ArgumentError as error:
            return _explained(error, USAGE)
        print(print_program(passes(program), locations=chosen.locations), end="")
    elif chosen.command == "cost":
        _cost(program, as_json=chosen.json)
    elif chosen.command == "run":
        return _evaluate(program, chosen.arguments, chosen.seed)
    elif chosen.command == "dot":
        print(drawing.to_dot(program))
    else:
        print(drawing.svg(program, most=chosen.most))
    return 0


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m treadle_ir",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, help: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help)
        made.add_argument("file", help="a program in the text format, or - for standard input")
        return made

    opt = command("opt", "run passes and print the program")
    opt.add_argument("--passes", default="optimise", help=f"of {', '.join(PASSES)}; with commas")
    opt.add_argument("--verify", action="store_true", help="verify the program after each pass")
    opt.add_argument("--locations", action="store_true", help="print places in the user's code")
    cost = command("cost", "print operations, bytes moved and peak memory")
    cost.add_argument("--json", action="store_true", help="print JSON")
    run = command("run", "evaluate the program with NumPy and print its results")
    run.add_argument("arguments", nargs="*", help="Python literals or .npy files; else random")
    run.add_argument("--seed", type=int, default=0, help="the seed of random arguments")
    command("dot", "print the program in the language of Graphviz")
    svg = command("svg", "print a picture of the program")
    svg.add_argument("--most", type=int, default=2_000, help="refuse to draw more operations")
    diff = commands.add_parser("diff", help="report where two programs differ first")
    diff.add_argument("left", help="a program in the text format")
    diff.add_argument("right", help="the program to compare it with")
    return parser


def _read(file: str) -> Program:
    """Return the program in a file.

    Raises:
        OSError, UnicodeDecodeError: the file cannot be read.
        ParseError: the text is not a program.
    """
    if file == "-":
        return parse_program(sys.stdin.read(), file="<stdin>")
    return parse_program(Path(file).read_text(encoding="utf-8"), file=file)


def _diff(left: str, right: str) -> int:
    found = first_difference(_read(left), _read(right))
    if found is None:
        print("the programs are equal")
        return 0
    print(found)
    return FAILED


def _cost(program: Program, *, as_json: bool) -> None:
    total, memory = program_cost(program), peak_memory(program)
    if as_json:
        values = {"flops": total.flops, "bytes": total.bytes, "exact": total.exact}
        print(json.dumps({**values, "peak_memory": memory.peak}, indent=2))
        return
    bound = "" if total.exact else " or more: the number of iterations of a loop is unknown"
    print(f"{total.flops:,} operations, {total.bytes:,} bytes moved{bound}")
    print(f"{memory.peak:,} bytes in memory at the peak, without fusion and reuse")
    costs = equation_costs(program)
    order = sorted(range(len(costs)), key=lambda i: (-costs[i].flops, -costs[i].bytes, i))
    for index in order[:_LARGEST]:
        cost = costs[index]
        text = print_equation(program, index)
        print(f"{cost.flops:>16,} operations {cost.bytes:>16,} bytes  {text}")
    if len(order) > _LARGEST:
        print(f"{len(order) - _LARGEST} more equations")


def _evaluate(program: Program, arguments: Sequence[str], seed: int) -> int:
    types = program.parameter_types
    if arguments and len(arguments) != len(types):
        raise ArgumentError(
            f"run: the program has {len(types)} parameters, but there are {len(arguments)} arguments",
            fix="give an argument for each parameter, or none for random ones",
        )
    if arguments:
        operands = [_argument(text, type) for text, type in zip(arguments, types, strict=True)]
    else:
        random = np.random.default_rng(seed)
        operands = [_random(random, type) for type in types]
    with np.printoptions(threshold=100, linewidth=100):
        for result, type in zip(interpret(program, *operands), program.result_types, strict=True):
            print(f"{type}: {result}")
    return 0


def _argument(text: str, type: Type) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an argument: the array of a `.npy` file, or a Python literal with the parameter's element type.

    Raises:
        OSError: the file cannot be read.
        ArgumentError: the text is neither.
    """
    if text.endswith(".npy"):
        array: np.ndarray[Any, np.dtype[Any]] = np.load(text, allow_pickle=False)
        return array
    try:
        value = ast.literal_eval(text)
        return np.asarray(value, type.dtype if isinstance(type, ArrayType) else None)
    except (ValueError, SyntaxError, TypeError, RecursionError):
        raise ArgumentError(
            f"run: {text!r:.100} is not an argument of type {type}",
            fix="write a Python literal such as 1.5 or [1, 2, 3], or the name of a .npy file",
        ) from None


def _random(random: np.random.Generator, type: Type) -> Any:  # Any: an array or a Python number
    """Return a random argument.

    Raises:
        ArgumentError: there is none for this type.
    """
    known = isinstance(type, ArrayType) and all([isinstance(size, int) for size in type.shape])
    if not isinstance(type, ArrayType) or not known or is_key(type.dtype):
        raise ArgumentError(
            f"run: there are no random arguments of type {type}",
            fix="give an argument for each parameter",
        )
    return sample(random, type, _DOMAIN)


def _explained(error: Exception, code: int) -> int:
    """Print an error with its notes; return the exit code."""
    if isinstance(error, OSError):
        print(f"treadle_ir: cannot read {error.filename}: {error.strerror}", file=sys.stderr)
        return code
    lines = [f"treadle_ir: {error}", *getattr(error, "__notes__", ())]
    print("\n".join(lines), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
