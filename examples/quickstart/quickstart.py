"""Train a network on real images, find the strangest ones, train eight more at once, write a report.

    python quickstart.py                     scikit-learn's handwritten digits
    python quickstart.py --data my.npz       your own: arrays `images` (count, height, width), `labels`

Prints `accuracy: NN.N%`, measured on held-out images, and where the time went.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from data import DataError, digits, load

STARTED = time.perf_counter()


def positive(text: str) -> int:
    """A whole number above zero, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def seed(text: str) -> int:
    """A whole number that random keys are made from, for argparse."""
    number = int(text)
    if not 0 <= number < 2**31 - 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and {2**31 - 2}")
    return number


def arguments(words: list[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Train a network on images and write a report.")
    parser.add_argument(
        "--data", type=Path, metavar="FILE.npz", help="arrays `images` and `labels` of your own"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("report.html"), metavar="FILE.html", help="the report"
    )
    parser.add_argument("--epochs", type=positive, default=30, metavar="N")
    parser.add_argument("--seed", type=seed, default=0, metavar="N")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Run it; 2 says that an argument or a file cannot be used."""
    options = arguments(words)
    try:
        data = digits() if options.data is None else load(options.data)
        if options.out.is_dir():
            raise DataError(f"{options.out} is a folder: give --out the name of a file.")
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.touch()
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"error: The report cannot be written to {options.out} ({error.strerror or error})."
            " Give another place with --out.",
            file=sys.stderr,
        )
        return 2
    import study  # noqa: PLC0415 -- an invalid file is refused before treadle is loaded

    study.run(data, options.out, options.epochs, options.seed, STARTED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
