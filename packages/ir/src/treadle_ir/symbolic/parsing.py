"""The texts of symbolic shapes and constraints: `"b, 4*n + 1, floordiv(k, 2)"`, `"b >= 8"`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NoReturn, final

from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.symbolic.polynomial import OPERATIONS, Polynomial, constant

if TYPE_CHECKING:
    from treadle_ir.symbolic.scope import SymbolicScope

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9]{1,18}(?![0-9]))"
    r"|(?P<symbol>\.\.\.|//|>=|<=|==|[-+*^%(),]))"
)
_DEEPEST: Final = 32  # of parentheses
_HIGHEST: Final = 16  # exponent
PLACEHOLDER: Final = "_"
ELLIPSIS: Final = "..."


@final
class Reader:
    """Reads one text from left to right; nothing is executed."""

    def __init__(self, text: str, scope: SymbolicScope, what: str) -> None:
        self.text = text
        self.scope = scope
        self.what = what
        self.depth = 0
        self.position = 0  # in the tokens
        self.tokens: list[tuple[str, str, int]] = []
        end = 0
        while text[end:].strip():
            match = _TOKEN.match(text, end)
            if match is None:
                start = end + len(text[end:]) - len(text[end:].lstrip())
                self._fail(f"{text[start]!r} cannot stand", start)
            kind = match.lastgroup
            assert kind is not None
            self.tokens.append((kind, match.group(kind), match.start(kind)))
            end = match.end()
        self.tokens.append(("end", "", len(text)))

    # --- the whole text ---

    def shape(self, like: Sequence[int | None] | None) -> list[Polynomial | int]:
        """Parse the sizes of a shape; `_` and a trailing `...` take their sizes from `like`."""
        parenthesis = self._is_wrapped() and self._take("(")
        sizes: list[Polynomial | int] = []
        while not self._at("end") and not (parenthesis and self.tokens[self.position][1] == ")"):
            if self._take(ELLIPSIS):
                sizes += self._from(like, len(sizes), None)
                self._take(",")
                break
            if self.tokens[self.position][1] == PLACEHOLDER:
                self.position += 1
                sizes += self._from(like, len(sizes), len(sizes) + 1)
            else:
                sizes.append(self.scope.normal(self.expression()))
            if not self._take(","):
                break
        if parenthesis:
            self._expect(")")
        self._end()
        return sizes

    def _is_wrapped(self) -> bool:
        """Return whether the parenthesis that opens the text is closed at its end."""
        if self.tokens[0][1] != "(" or self.tokens[-2][1] != ")":
            return False
        depth = 0
        for index, (_, text, _) in enumerate(self.tokens[:-1]):
            depth += (text == "(") - (text == ")")
            if depth == 0 and index < len(self.tokens) - 2:
                return False
        return True

    def _from(
        self, like: Sequence[int | None] | None, start: int, stop: int | None
    ) -> list[Polynomial | int]:
        place = self.tokens[self.position - 1][2]
        if like is None:
            self._fail("a placeholder stands, but there is no shape to take the size from", place)
        found = [*like[start:stop]]
        if stop is not None and not found:
            self._fail(f"a placeholder stands for axis {start} of the shape {tuple(like)}", place)
        if None in found:
            self._fail(f"a placeholder stands for an unknown size of {tuple(like)}", place)
        return [each for each in found if each is not None]

    def constraint(self) -> tuple[Polynomial, str, Polynomial]:
        """Both sides and the relation between them."""
        left = self.scope.normal(self.expression())
        relation = self.tokens[self.position][1]
        if relation not in (">=", "<=", "=="):
            self._fail("`>=`, `<=` or `==` is missing", self.tokens[self.position][2])
        self.position += 1
        right = self.scope.normal(self.expression())
        self._end()
        return left, relation, right

    def dimension(self) -> Polynomial:
        """One size."""
        found = self.scope.normal(self.expression())
        self._end()
        return found

    # --- its parts ---

    def expression(self) -> Polynomial:
        """A sum."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self._fail("the parentheses are too deep", self.tokens[self.position][2])
        negative = bool(self._take("-"))
        total = self._term()
        if negative:
            total = total.scaled(-1)
        while (sign := self._take("+", "-")) is not None:
            term = self._term()
            total = total + (term if sign == "+" else term.scaled(-1))
        self.depth -= 1
        return total

    def _term(self) -> Polynomial:
        result = self._power()
        while (operator := self._take("*", "//", "%")) is not None:
            other = self._power()
            if operator == "*":
                result = result * other
            else:
                result = self._operation("floordiv" if operator == "//" else "mod", result, other)
        return result

    def _power(self) -> Polynomial:
        base = self._atom()
        if self._take("^"):
            place = self.tokens[self.position][2]
            if not self._at("number") or int(self._next()) > _HIGHEST:
                self._fail(f"an exponent from 0 to {_HIGHEST} is missing", place)
            return base.power(int(self.tokens[self.position - 1][1]))
        return base

    def _atom(self) -> Polynomial:
        kind, text, place = self.tokens[self.position]
        if kind == "number":
            self.position += 1
            return constant(int(text))
        if text == "-":  # `max(-1, n)`, `2*-n`: as texts of dimensions have it
            self.position += 1
            return self._power().scaled(-1)
        if text == "(":
            self.position += 1
            inside = self.expression()
            self._expect(")")
            return inside
        if kind != "name" or text == PLACEHOLDER:
            self._fail("a name or a number is missing", place)
        self.position += 1
        if text not in OPERATIONS:
            return Polynomial.variable(text)
        self._expect("(")
        left = self.expression()
        self._expect(",")
        right = self.expression()
        self._expect(")")
        return self._operation(text, left, right)

    def _operation(self, kind: str, left: Polynomial, right: Polynomial) -> Polynomial:
        if kind in ("floordiv", "mod") and not right.terms:
            self._fail("a division by zero stands", self.tokens[self.position - 1][2])
        normal = self.scope.normal
        return self.scope.operation(kind, normal(left), normal(right))

    # --- tokens ---

    def _at(self, kind: str) -> bool:
        return self.tokens[self.position][0] == kind

    def _next(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1][1]

    def _take(self, *texts: str) -> str | None:
        text = self.tokens[self.position][1]
        if text not in texts:
            return None
        self.position += 1
        return text

    def _expect(self, text: str) -> None:
        if not self._take(text):
            self._fail(f"`{text}` is missing", self.tokens[self.position][2])

    def _end(self) -> None:
        kind, text, place = self.tokens[self.position]
        if kind != "end":
            self._fail(f"{text!r} cannot stand", place)

    def _fail(self, what: str, place: int) -> NoReturn:
        raise ArgumentError(
            f"syntax error in symbolic {self.what} {self.text[:80]!r}: {what} at column {place + 1}",
            fix='write sizes as in "b, 4*n + 1, floordiv(k, 2)", and constraints as in "b >= 8"',
        )
