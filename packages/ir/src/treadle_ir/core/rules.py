"""Rule tables: how a distribution attaches its transformation to the primitives."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

from treadle_ir.core.primitive import Primitive
from treadle_ir.errors.kinds import MissingRuleError, TreadleError
from treadle_ir.process.fork import fork_safe_lock
from treadle_ir.process.late_imports import importing

Rule = TypeVar("Rule")
_LIMIT: Final = 4096


def is_family(cls: type) -> bool:
    """Return whether a class is an abstract family: it has no mnemonic of its own."""
    return issubclass(cls, Primitive) and "name" not in cls.__dict__


def _family_module(primitive: type[Primitive]) -> str | None:
    """The module in which each transformation has the rules of this primitive's family; None of a user's own."""
    package, _, rest = primitive.__module__.partition(".primitives.")
    return rest.partition(".")[0] if package == "treadle_ir" else None


class RuleTable(Generic[Rule]):
    """One transformation's rules by primitive class.

    A lookup tries the class, then its abstract families; never another concrete primitive.
    Tables are append-only: a rule is registered when its module is imported and stays. The modules
    of a table that names a `package` are imported when a rule is looked up, not before, and where it
    names the package of the `families` too, first only the module of the primitive's: most programs
    start faster for it.
    """

    def __init__(
        self,
        transformation: str,
        decorator: str,
        folder: str,
        package: str | None = None,
        families: str | None = None,
    ) -> None:
        self._transformation: Final = transformation
        self._decorator: Final = decorator
        self._folder: Final = folder
        self._package = package  # to be imported still; None when there is nothing to import
        self._families: Final = families  # where each family has a module of its own, if so
        self._rules: Final[dict[type[Primitive], Rule]] = {}
        self._absent: Final[dict[type[Primitive], str]] = {}
        self._errors: Final[dict[type[Primitive], Callable[[], TreadleError]]] = {}
        self._found: Final[dict[type[Primitive], Rule | None]] = {}  # a cache of look-ups
        self._wrap: Callable[[Rule], Rule] | None = None
        # Registering a rule never interleaves with a look-up.
        self._lock: Final = fork_safe_lock()

    def register(self, primitive: type[Primitive], rule: Rule) -> None:
        """Attach a rule to a primitive or to a family.

        Raises:
            ValueError: the class has a rule already, or is declared to have none.
        """
        with self._lock:
            self._refuse_another(primitive)
            self._rules[primitive] = rule
            self._found.clear()

    def absent(
        self,
        primitive: type[Primitive],
        *,
        because: str,
        error: Callable[[], TreadleError] | None = None,
    ) -> None:
        """Declare that this primitive has no such rule, and why.

        `error` makes the error of a look-up, where "no rule" would not explain it to users.

        Raises:
            ValueError: the class has a rule already, or is declared to have none.
        """
        with self._lock:
            self._refuse_another(primitive)
            self._absent[primitive] = because
            if error is not None:
                self._errors[primitive] = error
            self._found.clear()

    def _refuse_another(self, primitive: type[Primitive]) -> None:
        if self._is_settled(primitive):
            raise ValueError(f"{primitive.__name__} has a {self._transformation} rule already")

    def get(self, primitive: type[Primitive]) -> Rule | None:
        """Return the rule for a class, its own or its family's, or None."""
        try:
            return self._found[primitive]
        except KeyError:
            pass
        self._load_for(primitive)
        with self._lock:
            rule = None if primitive in self._absent else self._search(primitive)
            if rule is not None and self._wrap is not None:
                rule = self._wrap(rule)
            if len(self._found) >= _LIMIT:  # classes that users make in a loop
                self._found.clear()
            self._found[primitive] = rule
        return rule

    def _search(self, primitive: type[Primitive]) -> Rule | None:
        for cls in primitive.__mro__:
            if cls is primitive or is_family(cls):
                rule = self._rules.get(cls)
                if rule is not None:
                    return rule
        return None

    def __getitem__(self, primitive: Primitive) -> Rule:
        """Return the rule for a primitive.

        Raises:
            MissingRuleError: it has none; or the error that was given to `absent`.
        """
        rule = self._found.get(type(primitive))
        if rule is None:
            rule = self.get(type(primitive))
            if rule is None:
                raise self.missing(type(primitive))
        return rule

    @contextmanager
    def wrapping(self, wrap: Callable[[Rule], Rule]) -> Iterator[None]:
        """Apply `wrap` to the rules that are looked up in this context, so that tests can observe all rules."""
        before, self._wrap = self._wrap, wrap
        self._found.clear()
        try:
            yield
        finally:
            self._wrap = before
            self._found.clear()

    def _load_for(self, primitive: type[Primitive]) -> None:
        """Import what says whether a primitive has a rule: the module of its own rule, else all of them."""
        if self._package is None or self._is_settled(primitive):
            return
        family = _family_module(primitive)
        if family is not None and self._families is not None:
            name = f"{self._families}.{family}"
            with importing():
                if importlib.util.find_spec(name) is not None:
                    importlib.import_module(name)
        if not self._is_settled(primitive):
            self._load()

    def _is_settled(self, primitive: type[Primitive]) -> bool:
        """Return whether this class itself, not only a family, has a rule or is declared to have none."""
        return primitive in self._rules or primitive in self._absent

    def _load(self) -> None:
        """Import the modules that register the rules; once."""
        package = self._package
        if package is not None:
            with importing():
                importlib.import_module(package)
            self._package = None

    def missing(self, primitive: type[Primitive]) -> TreadleError:
        """Return the error that explains why there is no rule, or where to write it."""
        reason = self.why_absent(primitive)
        if primitive in self._errors:
            return self._errors[primitive]()
        if reason is not None:
            return MissingRuleError(
                f"{primitive.name} has no {self._transformation} rule: {reason}"
            )
        decorated = f"@{self._decorator}({primitive.__name__})"
        family = _family_module(primitive)
        if family is not None:
            fix = f"write one with {decorated} in {self._folder}/{family}.py"
        else:  # a primitive of the user's own
            home = self._folder.partition("/")[0]
            fix = (
                f"register one where {primitive.__name__} is defined: `from {home} import {self._decorator}`, "
                f"then {decorated} above the rule"
            )
        return MissingRuleError(f"{primitive.name} has no {self._transformation} rule", fix=fix)

    def why_absent(self, primitive: type[Primitive]) -> str | None:
        """Return the stated reason for having no rule, or None."""
        self._load()
        for cls in primitive.__mro__:
            if cls in self._absent and (cls is primitive or is_family(cls)):
                return self._absent[cls]
        return None

    def status(self, primitive: type[Primitive]) -> str:
        """Return `"rule"`, `"family"`, `"absent"` or `"missing"`."""
        self._load()
        if primitive in self._rules:
            return "rule"
        if self.get(primitive) is not None:
            return "family"
        return "absent" if self.why_absent(primitive) is not None else "missing"

    def __iter__(self) -> Iterator[type[Primitive]]:
        self._load()
        return iter(self._rules)
