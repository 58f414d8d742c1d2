"""Rule tables: how a distribution attaches its transformation to the primitives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

from treadle_ir.core.primitive import Primitive
from treadle_ir.errors.kinds import MissingRuleError, TreadleError
from treadle_ir.errors.lazily import import_module
from treadle_ir.process.fork import fork_safe_lock

Rule = TypeVar("Rule")
_LIMIT: Final = 4096


def is_family(cls: type) -> bool:
    """Return whether a class is an abstract family: it has no mnemonic of its own."""
    return issubclass(cls, Primitive) and "name" not in cls.__dict__


_PRIMITIVES: Final = "treadle_ir.primitives."


def _family_module(primitive: type[Primitive]) -> str | None:
    """The module in which each transformation has the rules of this primitive's family; None of a user's own."""
    rest = primitive.__module__.removeprefix(_PRIMITIVES)
    return None if rest == primitive.__module__ else rest.partition(".")[0]


def _modules(package: str) -> Mapping[str, str]:
    """Return the modules with rules by family, as a package lists them."""
    found: Mapping[str, str] = vars(import_module(package)).get("MODULES", {})
    return found


def _import(package: str, modules: str) -> None:
    for module in modules.split():
        import_module(f"{package}.{module}")


def _rule_modules(primitive: type[Primitive], modules: Mapping[str, str]) -> str | None:
    """Return the modules that `modules` names for the primitive's module or for a package around it, if any."""
    home = primitive.__module__.removeprefix(_PRIMITIVES)
    while home and home not in modules:
        home = home.rpartition(".")[0]
    return modules.get(home)


class RuleTable(Generic[Rule]):
    """One transformation's rules by primitive class.

    A lookup tries the class, then its abstract families; never another concrete primitive.
    Tables are append-only: a rule is registered when its module is imported and stays. The modules of a table that
    names a `package` are imported when a rule is looked up, not before: the package has a mapping `MODULES` from
    families of primitives to the modules with their rules, and a look-up imports the modules of one family. Only for
    a primitive of a user's own without a rule does it import all of them. A package without `MODULES` imports its
    modules itself.
    """

    def __init__(
        self,
        transformation: str,
        decorator: str,
        folder: str,
        package: str | None = None,
    ) -> None:
        self._transformation: Final = transformation
        self._decorator: Final = decorator
        self._folder: Final = folder
        self._package = package  # to be imported still; None when there is nothing to import
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
        """Import the modules that say whether a primitive has a rule: of its family if it has one, else all."""
        package = self._package
        if package is None or self._is_settled(primitive):
            return
        modules = _rule_modules(primitive, _modules(package))
        if modules is None:
            self._load()
        else:
            _import(package, modules)

    def _is_settled(self, primitive: type[Primitive]) -> bool:
        """Return whether this class itself, not only a family, has a rule or is declared to have none."""
        return primitive in self._rules or primitive in self._absent

    def _load(self) -> None:
        """Import all modules that register rules; once."""
        package = self._package
        if package is not None:
            _import(package, " ".join(_modules(package).values()))
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
