"""Which effects may happen within loops and branches, as JAX asks for it; each class of effects says it of itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from treadle_ir import Effect, refused


@final
class EffectTypes:
    """The set of classes of effects that loops and branches may have.

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

    def add_type(self, effect_type: type[Effect]) -> None:
        """Let effects of a class happen in loops and branches.

        Raises:
            ArgumentError: it is no class of effects.
        """
        given: object = effect_type
        if not isinstance(given, type) or not issubclass(given, Effect):
            raise refused("add_type", "effect_type", "a class derived from Effect", effect_type)
        effect_type.allowed_in_loops = True

    def contains(self, eff: Effect) -> bool:
        """Whether loops and branches may have an effect.

        Raises:
            ArgumentError: it is none.
        """
        if not isinstance(eff, Effect):
            raise refused("contains", "eff", "an effect", eff)
        return eff.allowed_in_loops

    def filter_in(self, effects: Iterable[Effect]) -> list[Effect]:
        """Those of the effects that loops and branches may have."""
        return [eff for eff in effects if self.contains(eff)]

    def filter_not_in(self, effects: Iterable[Effect]) -> list[Effect]:
        """Those of the effects that they may not have."""
        return [eff for eff in effects if not self.contains(eff)]


control_flow_allowed_effects: Final = EffectTypes()
