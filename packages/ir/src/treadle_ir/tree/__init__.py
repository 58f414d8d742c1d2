"""Trees: nested containers of values, which are flattened into leaves and a structure, and rebuilt from them."""

from treadle_ir.tree.dataclass import register_dataclass as register_dataclass, static as static
from treadle_ir.tree.difference import explain_difference as explain_difference
from treadle_ir.tree.expect import Expectation as Expectation, expectation as expectation
from treadle_ir.tree.flatten import (
    flatten_around as flatten_around,
    flatten_leaves_and_structure as flatten_leaves_and_structure,
    leaf_paths as leaf_paths,
    leaves_in_any_order as leaves_in_any_order,
    opened_leaves as opened_leaves,
    tree_flatten as tree_flatten,
    tree_flatten_with_path as tree_flatten_with_path,
    tree_leaves as tree_leaves,
    tree_leaves_with_path as tree_leaves_with_path,
    tree_structure as tree_structure,
)
from treadle_ir.tree.functions import (
    Partial as Partial,
    all_leaves as all_leaves,
    broadcast_prefix as broadcast_prefix,
    flatten_one_level as flatten_one_level,
    flatten_one_level_with_keys as flatten_one_level_with_keys,
    spread_prefix as spread_prefix,
    tree_all as tree_all,
    tree_broadcast as tree_broadcast,
    tree_map as tree_map,
    tree_map_with_path as tree_map_with_path,
    tree_reduce as tree_reduce,
    tree_reduce_associative as tree_reduce_associative,
    tree_transpose as tree_transpose,
    tree_unflatten as tree_unflatten,
    treedef_children as treedef_children,
    treedef_is_leaf as treedef_is_leaf,
    treedef_tuple as treedef_tuple,
)
from treadle_ir.tree.node_registry import node_registry as node_registry
from treadle_ir.tree.opaque import (
    Dims as Dims,
    Form as Form,
    MappingSpec as MappingSpec,
    fixed_places as fixed_places,
    forms as forms,
    opened_by as opened_by,
    register_opaque as register_opaque,
    tangent_leaves as tangent_leaves,
    tangent_structure as tangent_structure,
)
from treadle_ir.tree.paths import (
    DictKey as DictKey,
    FlattenedIndexKey as FlattenedIndexKey,
    GetAttrKey as GetAttrKey,
    KeyEntry as KeyEntry,
    KeyPath as KeyPath,
    SequenceKey as SequenceKey,
    keystr as keystr,
)
from treadle_ir.tree.registry import (
    Kind as Kind,
    default_registry as default_registry,
    is_tree_node as is_tree_node,
    register_pytree_node as register_pytree_node,
    register_pytree_node_class as register_pytree_node_class,
    register_pytree_with_keys as register_pytree_with_keys,
    register_pytree_with_keys_class as register_pytree_with_keys_class,
    register_static as register_static,
)
from treadle_ir.tree.structure import PyTreeDef as PyTreeDef, flat_tuple as flat_tuple
