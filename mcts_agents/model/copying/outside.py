"""What an environment keeps outside its own object, and whether planning changes it.

Class attributes, globals of modules, default arguments and what functions hold are the
same things for the live environment and all copies. A step that changes them makes
every copy wrong and moves the live game, so a plan that saw it happen puts everything
back and ends with an error.

Only what the code of an environment names is looked at: from the classes of its objects
to their methods, the globals that these name, and so on, within modules that are none
of Python's or of the libraries that environments are written with.

The live environment itself is looked at as well, with every part: something outside may
refer to it, and copies share some parts with it.
"""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcts_agents.model.copying.certainty import ChanceError
from mcts_agents.model.copying.dice import is_generator
from mcts_agents.model.copying.guards import unchanged
from mcts_agents.model.copying.outside_contents import Changes, Contents
from mcts_agents.model.copying.outside_places import Places, is_foreign, module_of

# What environments of PettingZoo fill as they go, and no step depends on.
_KNOWN_CACHES = (
    "pettingzoo.classic.chess.chess_utils.actions_to_moves",
    "pettingzoo.classic.chess.chess_utils.moves_to_actions",
)

# With more items in all, a plan looks at them at each power of two only.
_FEW = 3000


class SharedStateError(ValueError):
    """A step of a copy has changed something that the live environment uses too."""


class Outside:
    """What lies outside one environment object.

    Args:
        name: The environment's, for messages.
        caches: What may change; see `CopyOptions`.
    """

    def __init__(self, name: str, caches: tuple[str, ...] = ()):
        self._name = name
        self._caches = (*_KNOWN_CACHES, *caches)
        self._places = Places()
        self._plans = 0
        self._contents: Contents | None = None

    @contextmanager
    def generators_bound(self) -> Iterator[Callable[[], list[Any]]]:
        """Give what returns the random generators that are bound to a name now.

        The search's own environment may bind others when it is reset. Those of before
        are bound again in the end.
        """
        names = [
            (namespace, name, value)
            for namespace, _, known in self._places.names.values()
            for inside in (_inside(namespace),)
            for name in sorted(inside if known is None else known & inside.keys())
            for value in (inside[name],)
            if is_generator(type(value))
        ]
        try:
            yield lambda: [_inside(namespace).get(name) for namespace, name, _ in names]
        finally:
            for namespace, name, value in names:
                if _inside(namespace).get(name) is value:
                    continue
                if isinstance(namespace, type):
                    setattr(namespace, name, value)
                else:
                    namespace[name] = value

    @contextmanager
    def unchanged(
        self,
        met: tuple[set[int], list[Any]],
        env: Any,
        release: Callable[[], None],
    ) -> Iterator["Contents"]:
        """Look after what lies outside while a plan goes on; give what it is now.

        Args:
            met: The ids of all that an exact copy of the environment holds copies of,
                and these copies.
            env: The live environment.
            release: Drops all copies, which may change something when they go.

        Raises:
            SharedStateError: Something changed. It is as it was before, but for what
                the message names.
        """
        own, objects = met
        self._places.visit_objects(objects)
        loud = any(map(_is_loud, set(map(type, objects))))
        del met, objects
        self._plans += 1
        last = self._contents
        if last is not None and not (
            last.items > _FEW and self._plans & (self._plans - 1)
        ):
            last = None
        found = Contents(self._places, own, env, self._caches, last)
        self._contents = found
        with unchanged([*found.generators, *found.own_generators]):
            doubt = None
            try:
                yield found
            except ChanceError as error:  # for which a change outside may be the reason
                doubt = error
            finally:
                if self._plans == 1:
                    found.drop_results()
                changes = found.put_back()
                if loud:
                    release()
                    gc.collect()  # they may hold one another
                    changes = changes.joined(found.put_back())
                found.forget()
        if changes.outside or changes.inside:
            raise SharedStateError(self._message(changes)) from doubt
        if doubt is not None:
            raise doubt

    def _message(self, changes: Changes) -> str:
        """Say what was changed, whether it was put back, and what to do."""
        fate = "it has been restored"
        if changes.lost:
            fate = (
                f"it has been restored, except {', '.join(changes.lost)}, which cannot "
                "be: make the environment anew"
            )
        if changes.outside:
            named = ", ".join(changes.outside)
            return (
                f"{self._name}: steps of copies changed {named}, which lies outside "
                "the environment object, where all copies and the live environment "
                f"share it; {fate}. Keep it in the object itself; or, if it is only a "
                "cache and no step depends on it, pass "
                f"caches=({', '.join(map(repr, changes.outside))},)"
            )
        return (
            f"{self._name}: steps of copies changed {', '.join(changes.inside)} of the "
            f"live environment itself; {fate}. Copies share with it spaces, members of "
            "enumerations, exceptions, loggers, and parts whose __deepcopy__ returns "
            "the part itself: do not change these, but replace them by others, or keep "
            "the state in a plain attribute"
        )


def _is_loud(kind: type) -> bool:
    """Whether objects of a class do something when they go."""
    return hasattr(kind, "__del__") and not is_foreign(module_of(kind))


def _inside(namespace: Any) -> Mapping[str, Any]:
    """Return the names of a class, or of a dictionary of globals."""
    return vars(namespace) if isinstance(namespace, type) else namespace
