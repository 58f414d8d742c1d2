"""What the tests of treadle-ir share."""

from __future__ import annotations


def pytest_addoption(parser):
    parser.addoption(
        "--update",
        action="store_true",
        help="write what the rewriting passes give into their expectations",
    )
