"""Which types are nodes: how each is opened into children and built again.

One table, `KINDS`, maps a type to its `Kind`, or to None if values of that type are leaves. Only the
exact type counts: a subclass of a node type is a leaf until registered itself, except namedtuples.
Invariants:

* a registration is never undone or replaced, so a structure stays valid for ever;
* `LEAF_TYPES` holds only types that `KINDS` maps to None. `LEAF_TYPES.issuperset(map(type, xs))` asks
  in C, without a Python call per element, whether all of `xs` are leaves;
* neither keeps a class alive that a program makes as it runs. A class carries its registration itself, so both are
  freed together. `KINDS` and `LEAF_TYPES` are caches: each full run of the garbage collector begins with emptying them,
  and the classes that are met again are classified again (decisions/0118-classes-that-are-freed.md).
"""

from __future__ import annotations

import gc
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar, final

from treadle_ir.errors.argument_checks import classes
from treadle_ir.errors.kinds import TreeError
from treadle_ir.process.fork import fork_safe_lock
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tree.paths import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyEntry,
    SequenceKey,
    Tree,
)

Meta: TypeAlias = Any  # a node's data besides its children; compared and hashed, never read
Opened: TypeAlias = tuple[Sequence[Tree], Meta]
OpenedWithKeys: TypeAlias = tuple[Sequence[KeyEntry], Sequence[Tree], Meta]

MOST_CACHED = 4096  # where the garbage collector does not make full runs
LONG_DICT = 8  # from this size on, it pays to test whether a dict is sorted already

T = TypeVar("T", bound=type)


@final
@frozen(eq=False)
class Kind:
    """How one type of node is opened into children and metadata, and built again.

    `keys(arity, meta)` returns the keys of the children where the metadata determine them; a class whose instances name
    their own children has `open_with_keys`. Kinds compare by identity.
    """

    node_type: type
    open: Callable[[Tree], Opened]
    build: Callable[[Meta, tuple[Tree, ...]], Tree]
    keys: Callable[[int, Meta], Sequence[KeyEntry]]
    open_with_keys: Callable[[Tree], OpenedWithKeys] | None = None

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by reference to the type."""
        return "NAMEDTUPLE" if self is NAMEDTUPLE else (registered_kind, (self.node_type,))


# --- the nodes that every Python program has --------------------------------------------------------


def sorted_keys(node: dict[Any, Tree]) -> tuple[Any, ...]:
    """Return the sorted keys of a dict, so that equal dicts have equal structures."""
    try:
        return tuple(sorted(node))
    except Exception as error:
        names = sorted({type(key).__name__ for key in node})
        refusal = TreeError(f"{type(node).__name__}: keys of types {names} cannot be sorted")
        refusal.add_note(
            "  fix: use keys of one type that sorts, or collections.OrderedDict, which keeps its order"
        )
        raise refusal from error


def open_dict(node: dict[Any, Tree]) -> Opened:
    """Return the values of a dict in the order of its sorted keys, and these keys."""
    keys = sorted_keys(node)
    if len(keys) >= LONG_DICT:
        return (list(node.values()) if keys == tuple(node) else itemgetter(*keys)(node)), keys
    return list(map(node.__getitem__, keys)), keys


def open_default_dict(node: defaultdict[Any, Tree]) -> Opened:
    """Open a defaultdict as a dict whose metadata include its factory."""
    children, keys = open_dict(node)
    return children, (node.default_factory, keys)


def index_keys(arity: int, _meta: Meta) -> Sequence[KeyEntry]:
    """Return the keys of the children of a list or tuple."""
    if arity <= len(SEQUENCE_KEYS):
        return SEQUENCE_KEYS[:arity]
    return list(map(SequenceKey, range(arity)))


def flat_keys(arity: int, _meta: Meta) -> Sequence[KeyEntry]:
    """Return the keys of the children of a node that does not name them."""
    return list(map(FlattenedIndexKey, range(arity)))


SEQUENCE_KEYS = tuple(map(SequenceKey, range(256)))

TUPLE = Kind(tuple, lambda x: (x, None), lambda _, c: tuple(c), index_keys)
LIST = Kind(list, lambda x: (x, None), lambda _, c: list(c), index_keys)
NONE = Kind(type(None), lambda _: ((), None), lambda _, __: None, flat_keys)
DICT = Kind(
    dict,
    open_dict,
    lambda keys, c: dict(zip(keys, c, strict=True)),
    lambda _, keys: list(map(DictKey, keys)),
)
ORDERED_DICT = Kind(
    OrderedDict,
    lambda x: (list(x.values()), tuple(x)),
    lambda keys, c: OrderedDict(zip(keys, c, strict=True)),
    lambda _, keys: list(map(DictKey, keys)),
)
DEFAULT_DICT = Kind(
    defaultdict,
    open_default_dict,
    lambda meta, c: defaultdict(meta[0], zip(meta[1], c, strict=True)),
    lambda _, meta: list(map(DictKey, meta[1])),
)
# All namedtuple classes share this kind; the metadata, which is the class, distinguishes them.
NAMEDTUPLE = Kind(
    tuple,
    lambda x: (x, type(x)),
    lambda cls, c: cls._make(c),
    lambda _, cls: list(map(GetAttrKey, cls._fields)),
)


# --- the table --------------------------------------------------------------------------------------


@final
class KindTable(dict[type, Kind | None]):
    """A dict that classifies a type when it is first looked up."""

    __slots__ = ("registry",)
    registry: Registry

    def __missing__(self, cls: type) -> Kind | None:
        """Classify a type that is not in the table."""
        return self.registry.classify(cls)


_ATTRIBUTE = "__treadle_node__"
_OLDEST = 2  # the generation of a full run of the garbage collector
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: the class was created at run time, and may be freed


@final
class _Registered:
    """The attribute of a registered class: its kind, and the class, since attributes are inherited and copied."""

    __slots__ = ("kind", "node_type")

    def __init__(self, node_type: type, kind: Kind) -> None:
        self.node_type = node_type
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return _nothing, ()  # a pickler of classes by value does not transfer it


def _nothing() -> None:
    """Return None, which replaces the registration of a class that is pickled by value."""


@final
class Registry:
    """The types that are nodes; there is one, `default_registry`, and entries are only ever added."""

    __slots__ = ("cached", "kinds", "leaf_types", "lock", "registered")

    def __init__(self, builtin: Iterable[Kind]) -> None:
        """Create a registry with the kinds `builtin`, which are never removed."""
        self.lock = fork_safe_lock()
        self.kinds = KindTable({kind.node_type: kind for kind in builtin})
        self.kinds.registry = self
        self.leaf_types: set[type] = set()
        self.registered: weakref.WeakSet[type] = weakref.WeakSet(self.kinds)
        self.cached: list[type] = []  # the classes in `kinds` that may be freed

    def classify(self, cls: type) -> Kind | None:
        """Return the kind of a type that is not in the table, and add it to the table."""
        carried = vars(cls).get(_ATTRIBUTE)
        if isinstance(carried, _Registered) and carried.node_type is cls:
            kind: Kind | None = carried.kind
        else:
            named = issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)
            kind = NAMEDTUPLE if named else None
        with self.lock:
            if cls in self.kinds:  # another thread was first
                return self.kinds[cls]
            self._cache(cls, kind)
        return kind

    def _cache(self, cls: type, kind: Kind | None) -> None:
        """Add a class to the table; the caller holds the lock."""
        if cls.__flags__ & _HEAP_TYPE:
            if len(self.cached) >= MOST_CACHED:
                self._forget()
            self.cached.append(cls)
        self.kinds[cls] = kind
        if kind is None:
            self.leaf_types.add(cls)
        else:
            self.leaf_types.discard(cls)

    def _forget(self) -> None:
        """Remove the classes that may be freed from the table; the caller holds the lock."""
        for cls in self.cached:
            self.leaf_types.discard(cls)
            self.kinds.pop(cls, None)
        self.cached.clear()

    def let_go(self, phase: str, info: dict[str, Any]) -> None:
        """Empty the table before a full run of the garbage collector, which calls this and then frees classes."""
        if phase == "start" and info["generation"] == _OLDEST and self.lock.acquire(blocking=False):
            # If the lock is taken, perhaps by this thread, the next run empties the table.
            try:
                self._forget()
            finally:
                self.lock.release()

    def register(self, kind: Kind, cls: type | None = None) -> None:
        """Add a kind, for as long as its class lives; `cls` is the kind's own class by default.

        Raises:
            TypeError: `cls` is not a class.
            TreeError: the class is registered already.
        """
        cls = kind.node_type if cls is None else cls
        if not isinstance(cls, type):
            raise TypeError(f"register: expected a class, got {cls!r}")
        with self.lock:
            if cls in self.registered:
                refusal = TreeError(f"register: `{cls.__qualname__}` is registered already")
                refusal.add_note("  fix: register each class once, where it is defined")
                raise refusal
            self.registered.add(cls)
            try:
                # Not `setattr`: a metaclass may refuse.
                type.__setattr__(cls, _ATTRIBUTE, _Registered(cls, kind))
            except TypeError:  # a class in C that accepts no attributes: it stays in the table
                self.leaf_types.discard(cls)
                self.kinds[cls] = kind
                if cls in self.cached:
                    self.cached.remove(cls)
            else:
                self._cache(cls, kind)


default_registry = Registry([TUPLE, LIST, NONE, DICT, ORDERED_DICT, DEFAULT_DICT])
KINDS = default_registry.kinds
LEAF_TYPES = default_registry.leaf_types
gc.callbacks.append(default_registry.let_go)


def registered_kind(cls: type) -> Kind:
    """Return the kind of a registered type; structures that are unpickled call this."""
    kind = KINDS[cls]
    if kind is None:
        refusal = TreeError(f"unpickle: `{cls.__qualname__}` is not registered in this process")
        refusal.add_note("  fix: import the module that registers it before unpickling")
        raise refusal
    return kind


def is_tree_node(typ: type) -> bool:
    """Return whether values of exactly this type are nodes.

    Example:
        >>> is_tree_node(dict), is_tree_node(type(None)), is_tree_node(float)
        (True, True, False)
    """
    classes("is_tree_node", typ=typ)
    return KINDS[typ] is not None


# --- registering ------------------------------------------------------------------------------------


def register_pytree_node(
    nodetype: type,
    flatten_func: Callable[[Any], tuple[Iterable[Tree], Any]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_with_keys_func: Callable[[Any], tuple[Iterable[tuple[KeyEntry, Tree]], Any]]
    | None = None,
) -> None:
    """Make a class a node, given functions that flatten and rebuild its instances.

    `flatten_func(node)` returns the children and the metadata, which are comparable and should be hashable, to be fast;
    `unflatten_func(metadata, children)` is its inverse, and gets the children as a tuple. `flatten_with_keys_func`
    returns the children as pairs `(key, child)`, in the same order.

    Raises:
        ValueError: the class is registered already.

    Example:
        >>> from treadle_ir.tree.flatten import tree_leaves
        >>> class Pair:
        ...     def __init__(self, first, second):
        ...         self.first, self.second = first, second
        >>> register_pytree_node(Pair, lambda p: ((p.first, p.second), None), lambda _, parts: Pair(*parts))
        >>> tree_leaves({"a": Pair(1, 2), "b": 3})
        [1, 2, 3]
    """

    def open_node(node: Tree) -> Opened:
        opened: Any = flatten_func(node)  # Any: a user's function made it
        if type(opened) is tuple and len(opened) == 2 and type(opened[0]) is tuple:
            return opened  # the common case saves two calls for every node of every call
        children, meta = checked_pair(opened, nodetype)
        return as_sequence(children, nodetype), meta

    def open_with_keys(node: Tree) -> OpenedWithKeys:
        assert flatten_with_keys_func is not None
        pairs, meta = checked_pair(flatten_with_keys_func(node), nodetype)
        pairs = as_sequence(pairs, nodetype)
        return [key for key, _ in pairs], [child for _, child in pairs], meta

    default_registry.register(
        Kind(
            nodetype,
            open_node,
            unflatten_func,
            flat_keys,
            None if flatten_with_keys_func is None else open_with_keys,
        )
    )


def checked_pair(result: object, nodetype: type) -> tuple[Any, Meta]:
    """Return the result of a user's flatten function, which must be a pair."""
    if isinstance(result, tuple | list) and len(result) == 2:
        return result[0], result[1]
    refusal = TreeError(
        f"flatten of `{nodetype.__qualname__}`: expected a pair (children, metadata), "
        f"got {type(result).__name__}"
    )
    refusal.add_note("  fix: return the children as a tuple, and then the metadata")
    raise refusal


def as_sequence(children: Any, nodetype: type) -> Sequence[Any]:  # Any: a user's function made it
    """Return the children that a user's flatten function returned as a sequence; they must be iterable."""
    if type(children) is tuple or type(children) is list:
        return children
    if isinstance(children, Iterable):
        return tuple(children)
    refusal = TreeError(
        f"flatten of `{nodetype.__qualname__}`: children must be iterable, "
        f"got {type(children).__name__}"
    )
    refusal.add_note("  fix: return the children as a tuple, also if there is one")
    raise refusal


def register_pytree_with_keys(
    nodetype: type,
    flatten_with_keys: Callable[[Any], tuple[Iterable[tuple[KeyEntry, Tree]], Any]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_func: Callable[[Any], tuple[Iterable[Tree], Any]] | None = None,
) -> None:
    """Make a class a node whose children have names; `flatten_func` is the same without names.

    Raises:
        ValueError: the class is registered already.

    Example:
        >>> from treadle_ir.tree.flatten import tree_leaves_with_path
        >>> class Named:
        ...     def __init__(self, first):
        ...         self.first = first
        >>> register_pytree_with_keys(
        ...     Named, lambda p: (((GetAttrKey("first"), p.first),), None), lambda _, parts: Named(*parts)
        ... )
        >>> tree_leaves_with_path(Named(1))
        [((GetAttrKey(name='first'),), 1)]
    """

    def without_keys(node: Any) -> tuple[Iterable[Tree], Any]:  # Any: of the registered class
        pairs, meta = flatten_with_keys(node)
        return [child for _, child in pairs], meta

    register_pytree_node(nodetype, flatten_func or without_keys, unflatten_func, flatten_with_keys)


def register_pytree_node_class(cls: T) -> T:
    """Make a class a node by its methods `tree_flatten()` and classmethod `tree_unflatten(meta, children)`.

    Example:
        >>> @register_pytree_node_class
        ... class Pair:
        ...     def __init__(self, x, y):
        ...         self.x, self.y = x, y
        ...     def tree_flatten(self):
        ...         return (self.x, self.y), None
        ...     @classmethod
        ...     def tree_unflatten(cls, meta, children):
        ...         return cls(*children)
        >>> is_tree_node(Pair)
        True
    """
    classes("register_pytree_node_class", cls=cls)
    methods: Any = cls  # the decorated class has the two methods, which `type` does not declare
    register_pytree_node(cls, methods.tree_flatten, methods.tree_unflatten)
    return cls


def register_pytree_with_keys_class(cls: T) -> T:
    """Make a class a node by `tree_flatten_with_keys()`, `tree_unflatten` and maybe `tree_flatten()`.

    Example:
        >>> from treadle_ir.tree.flatten import tree_leaves
        >>> @register_pytree_with_keys_class
        ... class Labelled:
        ...     def __init__(self, value):
        ...         self.value = value
        ...     def tree_flatten_with_keys(self):
        ...         return ((GetAttrKey("value"), self.value),), None
        ...     @classmethod
        ...     def tree_unflatten(cls, _, children):
        ...         return cls(*children)
        >>> tree_leaves(Labelled(2))
        [2]
    """
    classes("register_pytree_with_keys_class", cls=cls)
    methods: Any = cls  # the decorated class has the methods, which `type` does not declare
    register_pytree_with_keys(
        cls,
        methods.tree_flatten_with_keys,
        methods.tree_unflatten,
        getattr(cls, "tree_flatten", None),
    )
    return cls


def register_static(cls: T) -> T:
    """Make a class a node without children: its instances are part of the structure.

    Instances must be hashable and comparable, because structures are.

    Example:
        >>> from treadle_ir.tree.flatten import tree_leaves
        >>> @register_static
        ... class Mode(str):
        ...     pass
        >>> tree_leaves((Mode("train"), 1))
        [1]
    """
    classes("register_static", cls=cls)
    default_registry.register(Kind(cls, lambda x: ((), x), lambda x, _: x, flat_keys))
    return cls
