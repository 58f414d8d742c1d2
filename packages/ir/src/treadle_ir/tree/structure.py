"""The structure of a tree: everything but its leaves, as one flat tuple.

The *code* of a structure lists its nodes in post-order, as a program for a stack machine:

* an integer `k` pushes the next `k` leaves;
* an entry `(kind, arity, metadata)` pops `arity` values and pushes the node made of them.

Adjacent integers are always merged, so two structures have equal codes if and only if they are equal. Being
flat, codes are compared and hashed in C, without recursion at any depth; a container of leaves costs
two entries, whatever its size. `{"b": 1, "a": [2, 3]}` has `(2, (LIST, 2, None), 1, (DICT, 2, ("a", "b")))`.

Read from the right, a code is a program that flattens a tree, which is how `open_up_to` works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, final

from treadle_ir.errors.argument_checks import sequence
from treadle_ir.errors.kinds import TreeError
from treadle_ir.errors.tracebacks import boundary
from treadle_ir.tree.difference import Code, prefix_error, write
from treadle_ir.tree.paths import Leaf, Tree
from treadle_ir.tree.proto import decoded, encoded
from treadle_ir.tree.registry import DICT, KINDS, LIST, NAMEDTUPLE, NONE, TUPLE, Meta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

NodeData: TypeAlias = tuple[type, Meta]


@boundary
@final
class PyTreeDef:
    """The structure of a tree: immutable, hashable, comparable, picklable; made by flattening.

    Example:
        >>> from treadle_ir.tree import tree_structure
        >>> tree_structure({"b": [1, 2], "a": 3})
        PyTreeDef({'a': *, 'b': [*, *]})
    """

    __slots__ = ("__weakref__", "_hash", "code", "num_leaves")
    _hash: int
    code: Code
    num_leaves: int

    def __new__(cls) -> PyTreeDef:
        """Refuse: only flattening makes structures."""
        raise TypeError("PyTreeDef: make structures with tree_structure or tree_flatten")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: structures are keys of caches."""
        raise AttributeError(f"PyTreeDef: cannot set `{name}`: structures are immutable")

    def __delattr__(self, name: str) -> None:
        """Refuse: structures are keys of caches."""
        raise AttributeError(f"PyTreeDef: cannot delete `{name}`: structures are immutable")

    def __eq__(self, other: object) -> bool:
        """Compare node types, metadata and the places of leaves."""
        if self is other:
            return True
        if type(other) is not PyTreeDef:
            return NotImplemented
        try:
            return self.code == other.code
        except Exception as error:
            error.add_note(f"  while: comparing the metadata of {shortened(self)}")
            error.add_note("  fix: metadata must compare to a bool; arrays belong to the children")
            raise

    def __hash__(self) -> int:
        """Hash the code, once."""
        try:
            return self._hash
        except AttributeError:
            pass
        try:
            result = hash(self.code)
        except TypeError:
            # Many classes give a dict or a list as metadata, which compares but has no hash: leave it to `==`.
            result = hash(tuple([e if isinstance(e, int) else e[:2] for e in self.code]))
        set_hash(self, result)
        return result

    def __repr__(self) -> str:
        """Write the structure as a tree with `*` for each leaf."""
        return f"PyTreeDef({write(self.code)})"

    def __reduce__(self) -> tuple[Callable[[Code], PyTreeDef], tuple[Code]]:
        """Pickle the code; types are pickled by reference."""
        return make_structure, (self.code,)

    def __copy__(self) -> PyTreeDef:
        """Return itself: it is immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> PyTreeDef:
        """Return itself: it is immutable."""
        return self

    @property
    def num_nodes(self) -> int:
        """The number of nodes and leaves."""
        return sum(entry if isinstance(entry, int) else 1 for entry in self.code)

    def is_leaf(self) -> bool:
        """Return whether this is the structure of a single leaf."""
        return self is LEAF or self.code == LEAF.code

    def unflatten(self, leaves: Iterable[Leaf]) -> Tree:
        """Return the tree of this structure with these leaves.

        Raises:
            ValueError: there are too many or too few leaves.

        Example:
            >>> from treadle_ir.tree import tree_structure
            >>> tree_structure({"b": 1, "a": [2, 3]}).unflatten(["x", "y", "z"])
            {'a': ['x', 'y'], 'b': 'z'}
        """
        if type(leaves) is not list or len(leaves) != self.num_leaves:
            leaves = counted(self, "unflatten", leaves)
        return build(self.code, leaves)

    def flatten_up_to(self, tree: Tree) -> list[Tree]:
        """Return the subtrees of a tree at the places where this structure has its leaves.

        Raises:
            ValueError: the tree does not begin with this structure.

        Example:
            >>> from treadle_ir.tree import tree_structure
            >>> tree_structure([0, 0]).flatten_up_to([{"a": 1}, None])
            [{'a': 1}, None]
        """
        subtrees = open_up_to(self.code, tree)
        if subtrees is None:
            raise prefix_error(
                "flatten_up_to: structure and tree",
                self.code,
                tree,
                "the tree must have every node of the structure",
            )
        return subtrees

    def children(self) -> list[PyTreeDef]:
        """Return the structures of the root's children."""
        pieces: list[PyTreeDef] = []  # from the last child to the first, like the other lists here
        piece: list[Any] = []
        needed = 1  # the number of subtrees that the piece still lacks
        for entry in reversed(self.code[:-1]):
            rest = entry if isinstance(entry, int) else 0
            if not rest:
                piece.append(entry)
                needed += entry[1] - 1
            while rest or not needed:
                if rest and needed:
                    taken = min(rest, needed)
                    piece.append(taken)
                    rest -= taken
                    needed -= taken
                if not needed:
                    pieces.append(make_structure(tuple(reversed(piece))))
                    piece, needed = [], 1
        pieces.reverse()
        return pieces

    def node_data(self) -> NodeData | None:
        """Return the type and the metadata of the root, or None if it is a leaf."""
        root = self.code[-1]
        if isinstance(root, int):
            return None
        kind, _, meta = root
        if kind is NAMEDTUPLE:
            return meta, None
        return kind.node_type, list(meta) if kind is DICT else meta

    @staticmethod
    def from_node_data_and_children(
        registry: object, node_data: NodeData | None, children: Iterable[PyTreeDef]
    ) -> PyTreeDef:
        """Return the structure of a node, given the results of `node_data` and `children`.

        Args:
            registry: ignored, as there is only one.
            node_data: the type and the metadata of the node, or None for a leaf.
            children: the structures of its children.

        Raises:
            ValueError: the type is not a node type, or has another number of children.

        Example:
            >>> from treadle_ir.tree import PyTreeDef, default_registry, tree_structure
            >>> leaf = tree_structure(0)
            >>> PyTreeDef.from_node_data_and_children(default_registry, (dict, ["b", "a"]), [leaf, leaf])
            PyTreeDef({'b': *, 'a': *})
        """
        parts = list(children)
        if node_data is None:
            _check_arity("a leaf", 0, parts)
            return LEAF
        node_type, meta = node_data
        kind = KINDS[node_type]
        if kind is None:
            error = TreeError(
                f"from_node_data_and_children: `{node_type.__qualname__}` is not a node type of trees"
            )
            error.add_note("  fix: register it with register_pytree_node")
            raise error
        if kind is NAMEDTUPLE:
            meta = node_type
            _check_arity(node_type.__qualname__, len(node_type._fields), parts)  # type: ignore[attr-defined]  # every namedtuple has it
        elif kind is DICT:
            meta = tuple(meta)
            _check_arity("a dict of these keys", len(meta), parts)
        elif kind is NONE:
            _check_arity("None", 0, parts)
        return make_structure(
            tuple(join([*[part.code for part in parts], ((kind, len(parts), meta),)]))
        )

    def serialize_using_proto(self) -> bytes:
        """Return the bytes (`treadle_ir.tree.proto`) of a structure of tuples, lists, dicts with string keys and None.

        Raises:
            ValueError: the structure has other nodes, or other keys.

        Example:
            >>> from treadle_ir.tree import tree_structure
            >>> tree_structure((1, None)).serialize_using_proto().hex(" ")
            '0a 02 10 01 0a 02 10 03 0a 04 08 02 10 04'
        """
        return encoded(self.code)

    @staticmethod
    def deserialize_using_proto(registry: object, data: bytes) -> PyTreeDef:
        """Return the structure that `serialize_using_proto` serialised; `registry` is ignored.

        Raises:
            ValueError: the bytes do not encode a structure.

        Example:
            >>> from treadle_ir.tree import PyTreeDef, default_registry, tree_structure
            >>> data = tree_structure({"a": 1, "b": [2, 3]}).serialize_using_proto()
            >>> PyTreeDef.deserialize_using_proto(default_registry, data)
            PyTreeDef({'a': *, 'b': [*, *]})
        """
        return make_structure(decoded(data))

    def walk(
        self,
        f_node: Callable[[tuple[Any, ...], Any], Any],
        f_leaf: Callable[[Leaf], Any] | None,
        leaves: Iterable[Leaf],
    ) -> Any:
        """Apply `f_leaf` to leaves and `f_node(children's results, metadata)` to nodes; return the root's result.

        Without `f_leaf`, leaves are unchanged. Children come before their parents.

        Raises:
            ValueError: there are too many or too few leaves.

        Example:
            >>> from treadle_ir.tree import tree_structure
            >>> tree_structure([0, (0, 0)]).walk(lambda children, meta: sum(children), None, [1, 2, 3])
            6
        """
        left = counted(self, "walk", leaves)
        left.reverse()
        made: list[Any] = []
        for entry in self.code:
            if isinstance(entry, int):
                for _ in range(entry):
                    leaf = left.pop()
                    made.append(leaf if f_leaf is None else f_leaf(leaf))
                continue
            kind, arity, meta = entry
            first = len(made) - arity
            children = tuple(made[first:])
            del made[first:]
            made.append(f_node(children, list(meta) if kind is DICT else meta))
        return made[0]

    def compose(self, inner: PyTreeDef) -> PyTreeDef:
        """Return this structure with each leaf replaced by `inner`.

        Example:
            >>> from treadle_ir.tree import tree_structure
            >>> tree_structure([0, 0]).compose(tree_structure({"a": 0}))
            PyTreeDef([{'a': *}, {'a': *}])
        """
        pieces = ([inner.code] * e if isinstance(e, int) else [(e,)] for e in self.code)
        return make_structure(tuple(join(piece for group in pieces for piece in group)))


def _check_arity(what: str, arity: int, children: list[PyTreeDef]) -> None:
    if len(children) != arity:
        error = TreeError(
            f"from_node_data_and_children: {what} has {arity} children, but {len(children)} were given"
        )
        error.add_note("  fix: give what `children` of the structure returned")
        raise error


def counted(structure: PyTreeDef, function: str, leaves: Iterable[Leaf]) -> list[Leaf]:
    """Return the leaves as a new list, whose length must be the number of leaves of `structure`.

    Raises:
        ValueError: there are too many or too few leaves.
    """
    given = list(sequence(function, "leaves", leaves))
    if len(given) != structure.num_leaves:
        error = TreeError(
            f"{function}: got {len(given)} leaves for a structure of {structure.num_leaves}"
        )
        error.add_note(f"  where: {shortened(structure)}")
        error.add_note("  fix: give one leaf for each `*` of the structure")
        raise error
    return given


# The slots' own setters: `PyTreeDef.__setattr__` refuses, and these are faster, too.
new_structure: Callable[[type[PyTreeDef]], PyTreeDef] = object.__new__
set_code: Callable[[PyTreeDef, Code], None] = vars(PyTreeDef)["code"].__set__
set_num_leaves: Callable[[PyTreeDef, int], None] = vars(PyTreeDef)["num_leaves"].__set__
set_hash: Callable[[PyTreeDef, int], None] = vars(PyTreeDef)["_hash"].__set__


def make_structure(code: Code, num_leaves: int = -1) -> PyTreeDef:
    """Return the structure of a code, which must be well formed."""
    structure = new_structure(PyTreeDef)
    set_code(structure, code)
    if num_leaves < 0:
        num_leaves = sum(entry for entry in code if isinstance(entry, int))
    set_num_leaves(structure, num_leaves)
    return structure


def join(codes: Iterable[Sequence[Any]]) -> list[Any]:
    """Concatenate codes, merging adjacent integers."""
    joined: list[Any] = []
    for code in codes:
        if joined and isinstance(joined[-1], int) and code and isinstance(code[0], int):
            joined[-1] += code[0]
            joined.extend(code[1:])
        else:
            joined.extend(code)
    return joined


def flat_tuple(arity: int) -> PyTreeDef:
    """Return the structure of a tuple of `arity` leaves; short tuples share one object each."""
    if arity < len(FLAT_TUPLES):
        return FLAT_TUPLES[arity]
    return make_structure((arity, (TUPLE, arity, None)), arity)


LEAF = make_structure((1,), 1)
FLAT_TUPLES = [make_structure(((TUPLE, 0, None),), 0)]
FLAT_TUPLES += [make_structure((n, (TUPLE, n, None)), n) for n in range(1, 64)]


def build(code: Code, leaves: list[Leaf]) -> Tree:
    """Run a code to build the tree with these leaves, whose number must be right."""
    stack: list[Tree] = []
    push = stack.append
    used = 0
    waiting = 0  # leaves of the last integer, which mostly are all children of one node
    for entry in code:
        if type(entry) is int:
            waiting = entry
            continue
        kind, arity, meta = entry
        if arity <= waiting:
            end = used + waiting
            if arity < waiting:
                stack += leaves[used : end - arity]
            children = leaves[end - arity : end]
            used = end
            waiting = 0
        else:
            if waiting:
                stack += leaves[used : used + waiting]
                used += waiting
                waiting = 0
            children = stack[-arity:]
            del stack[-arity:]
        if kind is DICT:
            push(dict(zip(meta, children)))  # noqa: B905 - of equal length by construction; strict is slower
        elif kind is LIST:
            push(children)
        elif kind is TUPLE:
            push(tuple(children))
        else:
            push(kind.build(meta, tuple(children)))
    return leaves[0] if waiting else stack[0]


def open_up_to(code: Code, tree: Tree) -> list[Tree] | None:
    """Run a code from the right, and return the subtrees where it has leaves, or None if the tree differs."""
    stack: list[Tree] = [tree]
    found: list[Tree] = []  # from the last to the first
    kinds = KINDS
    for entry in reversed(code):
        if type(entry) is int:
            found += stack[: -entry - 1 : -1]
            del stack[-entry:]
            continue
        kind, arity, meta = entry
        node = stack.pop()
        found_kind = kinds[type(node)]
        if found_kind is not kind or found_kind is None:
            return None
        if kind is DICT:
            if len(node) != arity:
                return None
            try:
                stack += map(node.__getitem__, meta)
            except KeyError:
                return None
        else:
            children, found_meta = found_kind.open(node)
            if len(children) != arity or not (found_meta is meta or found_meta == meta):
                return None
            stack += children
    found.reverse()
    return found


def shortened(structure: PyTreeDef) -> str:
    """Return the text of a structure for a message, without the middle if it is long."""
    text = repr(structure)
    return text if len(text) <= 200 else f"{text[:120]} ... {text[-60:]}"
