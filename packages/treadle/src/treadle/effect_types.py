"""Classes of effects by what may be done with them, as JAX asks for it; each class says it of itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from treadle_ir import Effect
from treadle_ir.errors import boundaries, refused


@final
class EffectTypes:
    """The set of classes of effects of which something is so: a class variable of theirs, by its name.

    Example:
        >>> from treadle.experimental.hijax import control_flow_allowed_effects
        >>> from treadle.extend.core import Effect
        >>> class Logging(Effect):
        ...     pass
        >>> control_flow_allowed_effects.contains(Logging())
        False
        >>> control_flow_allowed_effects.add_type(Logging)
        >>> control_flow_allowed_effects.contains(Logging())
        True
    """

    def __init__(self, variable: str | None) -> None:
        self._variable: Final = variable  # None: it is so for all

    def add_type(self, effect_type: type[Effect]) -> None:
        """Say of a class of effects that it is so.

        Raises:
            ArgumentError: it is not a class of effects.
        """
        given: object = effect_type
        if not isinstance(given, type) or not issubclass(given, Effect):
            raise refused("add_type", "effect_type", "a class derived from Effect", effect_type)
        if self._variable is not None:
            setattr(effect_type, self._variable, True)

    def contains(self, eff: Effect) -> bool:
        """Return whether it is so of an effect.

        Raises:
            ArgumentError: it is none.
        """
        if not isinstance(eff, Effect):
            raise refused("contains", "eff", "an effect", eff)
        return self._variable is None or bool(getattr(eff, self._variable))

    def filter_in(self, effects: Iterable[Effect]) -> list[Effect]:
        """Return the effects that this set of types contains."""
        return [eff for eff in effects if self.contains(eff)]

    def filter_not_in(self, effects: Iterable[Effect]) -> list[Effect]:
        """Return the effects that this set of types does not contain."""
        return [eff for eff in effects if not self.contains(eff)]


control_flow_allowed_effects: Final = EffectTypes("allowed_in_loops")
"""Effects that loops and branches may have."""
lowerable_effects: Final = EffectTypes(None)
"""Effects that compiled programs may have: all of them."""
ordered_effects: Final = EffectTypes("ordered")
"""Effects that keep their order: a rule that builds an operation with one takes a token, and gives one on."""

boundaries(__name__)
