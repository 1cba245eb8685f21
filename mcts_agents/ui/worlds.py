"""Single determinizations: what the worlds look like that a search goes through."""

from typing import Any

from mcts_agents.arena.playing.tables import RulesTable, Table
from mcts_agents.model import new_generator
from mcts_agents.ui.live_search import LiveSearch
from mcts_agents.ui.pictures import picture_of_state


def worlds_message(
    live: LiveSearch, table: Table, first: int, count: int
) -> dict[str, Any]:
    """Return pictures of determinizations, drawn as the search draws its own.

    A search goes through thousands of worlds and keeps none. These are drawn anew, by
    the game's `redeterminise` from the position as the player knows it, so nothing that
    is hidden from the player is in them but by chance.

    Args:
        live: The search.
        table: The table.
        first: Number of the first world; the same number gives the same world.
        count: How many.

    Raises:
        ValueError: The search has one world only.
    """
    if not live.worlds or live.state is None or not isinstance(table, RulesTable):
        raise ValueError("Nothing is hidden from this player: there is one world.")
    model, worlds = table.model, []
    for number in range(first, first + count):
        world = model.copy(live.state)
        model.redeterminise(world, live.player, new_generator(number))
        picture, width, height = picture_of_state(table, world)
        text = table.game.ansi(model, world, None)
        shown = {"picture": picture, "width": width, "height": height, "text": text}
        worlds.append({"number": number, **shown})
    return {"player": live.player, "number": live.number, "worlds": worlds}
