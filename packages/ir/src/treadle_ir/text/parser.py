"""The parser: text to programs. Any text gives a program or a `ParseError`.

A text is data: mnemonics and class names are looked up in a registry, and nothing is imported, evaluated or
executed. Programs are defined before they are used, so reading is a single pass with no recursion; only attribute
values nest, up to a fixed depth.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, TypeVar, final

import numpy as np

from treadle_ir.analysis.verifier import verify
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.core.effects import Effects
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.printing import VERSION
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.registry import find_class, find_primitive, mnemonics
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.errors.kinds import ParseError, TreadleError, VerifyError
from treadle_ir.errors.source import NOWHERE, ReadSource, Source
from treadle_ir.symbolic import SymbolicScope
from treadle_ir.text.attributes import (
    construct,
    read_constraints,
    read_scalar,
    read_size,
    read_type,
    shortened,
    unquoted,
)
from treadle_ir.text.lexer import END, Lexer, Token

MAX_DEPTH: Final = 64  # of tuples in tuples, in an attribute
MAX_DIGITS: Final = 400  # of an integer attribute
_CONSTANTS: Final[Mapping[str, object]] = {"None": None, "True": True, "False": False}
T = TypeVar("T")


def parse_program(text: str, *, file: str = "<text>") -> Program:
    """Return the program that a text describes, which is the last program in it.

    Raises:
        ParseError: the text is not a program; the error has `line` and `column`, and shows the place.

    Example:
        >>> program = parse_program('''treadle 1
        ... program @main(%x: f32[3]) {
        ...   %y: f32[3] = sine %x
        ...   return %y
        ... }''')
        >>> len(program.equations)
        1
    """
    return _Parser(text, file).parse()


@final
class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self.lexer = Lexer(text, file)
        self.scope = SymbolicScope()
        self.programs: dict[str, Program] = {}
        self.values: dict[str, Value] = {}
        self.types: dict[str, Type] = {}
        self.meshes: dict[str, AbstractMesh] = {}
        self.literals: dict[str, Literal] = {}
        self.plain: dict[str, Primitive] = {}  # primitives without attributes, by mnemonic
        self.sources: dict[tuple[str, int], Source] = {}

    # --- the file ---

    def parse(self) -> Program:
        lexer = self.lexer
        self.version()
        program: Program | None = None
        start = 1
        while lexer.next_line():
            start = lexer.number
            if program is None and lexer.at("where"):
                self.constraints()
                continue
            if program is None and lexer.at("mesh"):
                self.mesh()
                continue
            program = self.program()
        if program is None:
            raise lexer.error("there is no program in the text", 1)
        try:
            verify(program)
        except VerifyError as error:  # an error that the parser itself did not find
            raise lexer.error(f"the program breaks a promise: {error}", 1, line=start) from error
        return program

    def version(self) -> None:
        lexer = self.lexer
        fix = f"the first line of a program is `treadle {VERSION}`"
        if not lexer.next_line():
            raise lexer.error("the text is empty", 1, fix=fix)
        if not lexer.at("treadle"):
            raise lexer.error(
                "the text does not begin with `treadle` and a version", lexer.peek().column, fix=fix
            )
        token = lexer.expect_kind("number", "a version", "the first line")
        if token.text != str(VERSION):
            raise lexer.error(
                f"the text has version {shortened(token.text)} of the format, but this reads version {VERSION}",
                token.column,
                fix="read it with the treadle-ir that wrote it, or with a newer one",
            )
        lexer.end_of_line("the first line")

    def constraints(self) -> None:
        """Parse the constraints on the names of symbolic sizes; the whole text has one scope."""
        lexer = self.lexer
        token = lexer.peek()
        texts: list[str] = [*self.scope.constraints]
        while True:
            string = lexer.expect_kind("string", 'a constraint such as "b >= 8"', "`where`")
            texts.append(self.reading(string, unquoted, string.text))
            if not lexer.at(","):
                break
        lexer.end_of_line("`where`")
        self.scope = self.reading(token, read_constraints, texts)

    def mesh(self) -> None:
        """Parse the definition of a mesh of the types' shardings."""
        lexer = self.lexer
        name = lexer.expect_kind("program", "a name such as `@mesh0`", "`mesh`")
        if name.text in self.meshes:
            raise lexer.error(f"there are two meshes {shortened(name.text)}", name.column)
        lexer.expect("=", "`mesh`")
        token = lexer.peek()
        mesh = self.value(0)
        if not isinstance(mesh, AbstractMesh):
            raise lexer.error("a mesh is an AbstractMesh", token.column)
        lexer.end_of_line("`mesh`")
        self.meshes[name.text] = mesh

    # --- a program ---

    def program(self) -> Program:
        lexer = self.lexer
        lexer.expect("program", "a definition")
        name = lexer.expect_kind("program", "a name such as `@main`", "a program")
        if name.text in self.programs:
            raise lexer.error(f"there are two programs {shortened(name.text)}", name.column)
        self.values = {}
        lexer.expect("(", "a program")
        parameters: list[Value] = []
        while not lexer.at(")"):
            if parameters:
                lexer.expect(",", "a list of parameters")
            parameters.append(self.definition("a parameter"))
        promised: list[tuple[Token, Type]] | None = None
        if lexer.at("->"):
            promised = []
            lexer.expect("(", "a list of result types")
            while not lexer.at(")"):
                if promised:
                    lexer.expect(",", "a list of result types")
                promised.append((lexer.peek(), self.type("a result")))
        lexer.expect("{", "a program")
        lexer.end_of_line("a program")
        heading = lexer.number
        equations: list[Equation] = []
        while True:
            if not lexer.next_line():
                raise lexer.error("the text ends inside a program", len(lexer.lines[-1]) + 1)
            token = lexer.peek()
            if token.kind == "name" and token.text == "return":
                lexer.take()
                break
            equations.append(self.equation())
        results: list[Atom] = []
        while lexer.peek().kind != END:
            if results:
                lexer.expect(",", "a list of results")
            results.append(self.atom("a result"))
        if promised is not None:
            self.check_results(promised, results, heading)
        if not lexer.next_line():
            raise lexer.error("the text ends inside a program", len(lexer.lines[-1]) + 1)
        lexer.expect("}", "a program")
        lexer.end_of_line("a program")
        program = self.programs[name.text] = Program(
            tuple(parameters), tuple(equations), tuple(results)
        )
        return program

    def check_results(
        self, promised: list[tuple[Token, Type]], results: list[Atom], heading: int
    ) -> None:
        if len(promised) != len(results):
            raise self.lexer.error(
                f"the program promises {len(promised)} results and returns {len(results)}",
                1,
                line=heading,
            )
        for (token, type), result in zip(promised, results, strict=True):
            if type != result.type:
                raise self.lexer.error(
                    f"the program promises {type} and returns {result.type}",
                    token.column,
                    line=heading,
                )

    def definition(self, what: str) -> Value:
        lexer = self.lexer
        name = lexer.expect_kind("value", "a name such as `%0`", what)
        lexer.expect(":", what)
        if name.text in self.values:
            raise lexer.error(f"{shortened(name.text)} is defined twice", name.column)
        value = self.values[name.text] = Value(self.type(what))
        return value

    def type(self, what: str) -> Type:
        token = self.lexer.take()
        found = self.types.get(token.text)
        if found is None:
            if token.kind not in ("type", "name"):
                self.lexer.position -= token.kind != END
                raise self.lexer.unexpected("a type such as `f32[2,3]`", what)
            found = self.types[token.text] = self.reading(
                token, read_type, token.text, self.scope, self.meshes
            )
        return found

    def atom(self, what: str) -> Atom:
        token = self.lexer.take()
        if token.kind == "value":
            value = self.values.get(token.text)
            if value is None:
                raise self.lexer.error(f"{shortened(token.text)} is not defined here", token.column)
            return value
        if token.kind == "literal":
            return self.literal(token)
        self.lexer.position -= token.kind != END
        raise self.lexer.unexpected("a value or a literal", what)

    def literal(self, token: Token) -> Literal:
        found = self.literals.get(token.text)
        if found is None:
            text, _, name = token.text.rpartition(":")
            weak = name.endswith("*")
            dtype = BY_NAME.get(name.rstrip("*"))
            if dtype is None:
                raise self.lexer.error(
                    f"there is no element type `{shortened(name)}`", token.column
                )
            scalar = self.reading(token, read_scalar, text, dtype)
            found = self.literals[token.text] = Literal(scalar, ArrayType((), dtype, weak))
        return found

    def reading(self, token: Token, function: Callable[..., T], *arguments: object) -> T:
        """Return `function(*arguments)`; an exception that it raises becomes an error at `token`.

        The classes of attributes check themselves, in ways of their own, and meet values here that no program has.
        """
        try:
            return function(*arguments)
        except ParseError:
            raise
        except Exception as error:
            what = str(error) or type(error).__name__
            raise self.lexer.error(what, token.column) from error

    # --- an equation ---

    def equation(self) -> Equation:
        lexer = self.lexer
        results: list[tuple[Token, str, Type]] = []
        if lexer.peek().kind == "value":
            while True:
                name = lexer.expect_kind("value", "a name such as `%0`", "an equation")
                if name.text in self.values:
                    raise lexer.error(f"{shortened(name.text)} is defined twice", name.column)
                lexer.expect(":", "a result")
                results.append((lexer.peek(), name.text, self.type("a result")))
                if not lexer.at(","):
                    break
            lexer.expect("=", "an equation")
        mnemonic = lexer.expect_kind("name", "the name of an operation", "an equation")
        operands: list[Atom] = []
        if lexer.peek().kind in ("value", "literal"):
            operands.append(self.atom("an operand"))
            while lexer.at(","):
                operands.append(self.atom("an operand"))
        primitive = self.primitive(mnemonic)
        effects: list[Token] = []
        while lexer.at("!"):
            effects.append(lexer.expect_kind("name", "the name of an effect", "an effect"))
        source = self.source() if lexer.peek().kind != END else NOWHERE
        lexer.end_of_line("an equation")
        types, actual = self.infer(
            primitive, tuple([operand.type for operand in operands]), mnemonic
        )
        self.check_effects(actual, effects, mnemonic)
        if len(types) != len(results):
            raise lexer.error(
                f"{mnemonic.text} has {len(types)} results, but {len(results)} are named",
                mnemonic.column,
            )
        values: list[Value] = []
        for (token, name_text, written), type in zip(results, types, strict=True):
            if written.plain is not type.plain:
                raise lexer.error(
                    f"{mnemonic.text} gives {type}, but {written} is written here", token.column
                )
            if name_text in self.values:
                raise lexer.error(f"{shortened(name_text)} is defined twice", token.column)
            value = self.values[name_text] = Value(written)
            values.append(value)
        return Equation(primitive, tuple(operands), tuple(values), actual, source)

    def infer(
        self, primitive: Primitive, operands: tuple[Type, ...], mnemonic: Token
    ) -> tuple[tuple[Type, ...], Effects]:
        try:
            return inferred(primitive, operands)
        except Exception as error:  # rules may fail in any way on what no program contains
            listed = ", ".join(map(str, operands)) or "nothing"
            reason = f": {error}" if isinstance(error, TreadleError) else ""
            raise self.lexer.error(
                f"{mnemonic.text} cannot be applied to {listed}{reason}", mnemonic.column
            ) from error

    def check_effects(self, actual: Effects, written: list[Token], mnemonic: Token) -> None:
        names = sorted({effect.name for effect in actual})
        if names != sorted({token.text for token in written}):
            shown = ", ".join(names) or "none"
            column = written[0].column if written else mnemonic.column
            raise self.lexer.error(f"the effects of {mnemonic.text} are: {shown}", column)

    def source(self) -> Source:
        lexer = self.lexer
        lexer.expect("@", "a place in a file")
        token = lexer.expect_kind("string", "the name of a file in quotes", "a place in a file")
        file = self.reading(token, unquoted, token.text)
        lexer.expect(":", "a place in a file")
        number = lexer.expect_kind("number", "the number of a line", "a place in a file")
        if not number.text.isdecimal() or len(number.text) > 9:
            raise lexer.error(
                f"`{shortened(number.text)}` is not the number of a line", number.column
            )
        key = file, int(number.text)
        found = self.sources.get(key)
        if found is None:
            found = self.sources[key] = ReadSource(*key)
        return found

    def primitive(self, mnemonic: Token) -> Primitive:
        lexer = self.lexer
        bare = lexer.peek().text != "{"
        if bare and mnemonic.text in self.plain:
            return self.plain[mnemonic.text]
        cls = find_primitive(mnemonic.text)
        if cls is None:
            close = difflib.get_close_matches(mnemonic.text[:40], mnemonics(), 1)
            raise lexer.error(
                f"there is no operation `{shortened(mnemonic.text)}`",
                mnemonic.column,
                fix=f"did you mean `{close[0]}`?"
                if close
                else "an operation of an extension: import that first",
            )
        values: dict[str, object] = {}
        if not bare:
            lexer.take()
            self.named_values(values, "}", 0)
        primitive: Primitive = self.reading(mnemonic, construct, cls, values)
        if bare:
            self.plain[mnemonic.text] = primitive
        return primitive

    # --- attribute values ---

    def named_values(self, values: dict[str, object], end: str, depth: int) -> None:
        lexer = self.lexer
        while not lexer.at(end):
            if values:
                lexer.expect(",", "a list of attributes")
            name = lexer.expect_kind("name", "the name of an attribute", "a list of attributes")
            if name.text in values:
                raise lexer.error(
                    f"the attribute `{shortened(name.text)}` is given twice", name.column
                )
            lexer.expect("=", "an attribute")
            values[name.text] = self.value(depth)

    def value(self, depth: int) -> object:
        lexer = self.lexer
        token = lexer.take()
        if depth > MAX_DEPTH:
            raise lexer.error(f"attributes nest deeper than {MAX_DEPTH}", token.column)
        match token.kind:
            case "number":
                return self.number(token)
            case "name":
                return self.named(token, depth)
            case "string":
                return self.reading(token, unquoted, token.text)
            case "literal":
                return self.literal(token)
            case "type":
                return self.reading(token, read_type, token.text, self.scope, self.meshes)
            case "dimension":
                return self.reading(token, read_size, token.text[1:-1], self.scope)
            case "program":
                program = self.programs.get(token.text)
                if program is None:
                    raise lexer.error(
                        f"the program {shortened(token.text)} is not defined above", token.column
                    )
                return program
            case "complex":
                return complex(self.reading(token, read_scalar, token.text[:-1], BY_NAME["c128"]))
            case "opaque":
                raise lexer.error(
                    f"{shortened(token.text)} stands for something that has no text, such as a Python function",
                    token.column,
                    fix="print the program after the derivatives are taken, when no custom rule is left in it",
                )
            case "symbol" if token.text == "(":
                return self.tuple(depth)
        lexer.position -= token.kind != END
        raise lexer.unexpected("a value", "an attribute")

    def tuple(self, depth: int) -> tuple[object, ...]:
        lexer = self.lexer
        values: list[object] = []
        while not lexer.at(")"):
            values.append(self.value(depth + 1))
            if not lexer.at(","):
                lexer.expect(")", "a tuple")
                if len(values) == 1:
                    raise lexer.error(
                        "a tuple of one value is written with a comma: (1,)", lexer.peek().column
                    )
                break
        return tuple(values)

    def number(self, token: Token) -> int | float:
        text = token.text
        if text.lstrip("-").isdecimal():
            if len(text) > MAX_DIGITS:
                raise self.lexer.error(
                    f"the number has more than {MAX_DIGITS} digits", token.column
                )
            return int(text)
        return float(self.reading(token, read_scalar, text, BY_NAME["f64"]))

    def named(self, token: Token, depth: int) -> object:
        text = token.text
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text in BY_NAME:
            return BY_NAME[text]
        if text in ("inf", "nan"):
            return float(text)
        if text == "token":
            return self.reading(token, read_type, text)
        lexer = self.lexer
        if text == "dense":
            return self.dense(token)
        if text == "set":
            lexer.expect("(", "a set")
            return self.set(token, depth)
        if text == "scalar":
            lexer.expect("(", "a scalar")
            literal = self.literal(
                lexer.expect_kind("literal", "a literal such as `1.0:f32`", "a scalar")
            )
            lexer.expect(")", "a scalar")
            return literal.value
        name, _, member = text.partition(".")
        cls = find_class(name)
        if cls is None:
            raise lexer.error(f"`{shortened(text)}` is not a value", token.column)
        if member:
            if not issubclass(cls, Enum) or member not in cls.__members__:
                raise lexer.error(f"{name} has no member `{shortened(member)}`", token.column)
            return cls.__members__[member]
        lexer.expect("(", f"a value of {name}")
        values: dict[str, object] = {}
        self.named_values(values, ")", depth + 1)
        return self.reading(token, construct, cls, values)

    def set(self, token: Token, depth: int) -> frozenset[object]:
        lexer = self.lexer
        values: list[object] = []
        while not lexer.at(")"):
            if values:
                lexer.expect(",", "a set")
            values.append(self.value(depth + 1))
        return self.reading(token, frozenset, values)

    def dense(self, token: Token) -> object:
        lexer = self.lexer
        lexer.expect("(", "an array")
        type = self.type("an array")
        lexer.expect(",", "an array")
        data = lexer.expect_kind("bytes", 'its bytes, as in x"00ff"', "an array")
        lexer.expect(")", "an array")
        if not isinstance(type, ArrayType):
            raise lexer.error("an array has the type of an array", token.column)
        digits = data.text[2:-1]
        if len(digits) != 2 * type.nbytes:
            raise lexer.error(
                f"{type} has {type.nbytes} bytes, but {len(digits) / 2:g} are here", data.column
            )
        return np.frombuffer(bytes.fromhex(digits), type.dtype).reshape(type.shape)
