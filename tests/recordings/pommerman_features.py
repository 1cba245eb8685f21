"""What recorded steps of Pommerman show of its rules: events, found in the arrays."""

import json
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

Arrays = Mapping[str, np.ndarray]

PASSAGE, WOOD, BOMB, FLAMES = 0, 2, 3, 4
ITEMS = (6, 7, 8)
STEPS = {0: (0, 0), 1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
LAY = 5
LAST_STEP = 800
OUTSIDE = -1
# Kinds of events that affect each other.
RARE = ("turns", "meet", "dies", "kicks")
OF_GAME = "game"  # begins features that depend on the kind of game


def of_game(arrays: Arrays, number: int, is_crowded: bool) -> set:
    """Return all that a recorded game shows.

    Args:
        arrays: The recording.
        number: The game.
        is_crowded: Whether much happens at one time in these games; more combinations
            of events count, then.
    """
    meta = json.loads(str(arrays["game_meta"][number]))
    name = meta["env_id"]
    shown = {(OF_GAME, name, "final", *meta["final_reward"])}
    state0, step0 = int(arrays["game_state0"][number]), arrays["game_step0"][number]
    for ply in range(int(arrays["game_n_steps"][number])):
        step = Step(arrays, state0 + ply, int(step0) + ply)
        found = {*step.of_bombs(), *step.of_board(), *step.of_agents()}
        shown |= found
        # What happens at the same time may depend on each other.
        kinds = sorted({kind for kind, *_ in found})
        shown.update(combinations(kinds, 3 if is_crowded else 2))
        if is_crowded:
            rare = sorted((event for event in found if event[0] in RARE), key=repr)
            shown.update(combinations(rare, 2))
        facts = (*step.of_end(), *step.of_messages())
        shown.update((OF_GAME, name, *fact) for fact in facts)
    return shown


class Step:
    """One step: the states before and after it, and what was done."""

    def __init__(self, arrays: Arrays, index: int, step: int):
        """Read the step."""
        self.arrays, self.index, self.step = arrays, index, step
        self.before, self.after = arrays["board"][index], arrays["board"][index + 1]
        self.actions = arrays["actions"][step].tolist()
        self.alive = arrays["agent_alive"][index].tolist()
        self.still_alive = arrays["agent_alive"][index + 1].tolist()
        self.cells = [tuple(cell) for cell in arrays["agent_pos"][index].tolist()]
        self.new_cells = [
            tuple(cell) for cell in arrays["agent_pos"][index + 1].tolist()
        ]
        self.bombs = self.listed("bombs", "bomb_ptr", index)
        self.new_bombs = self.listed("bombs", "bomb_ptr", index + 1)

    def listed(self, things: str, pointers: str, index: int) -> list[list[int]]:
        """Return the bombs or the flames of a state."""
        start, end = self.arrays[pointers][index : index + 2]
        return self.arrays[things][start:end].tolist()

    def code(self, cell: tuple[int, int]) -> int:
        """Return what the board shows at a cell before the step; agents are alike."""
        if not all(0 <= x < len(self.before) for x in cell):
            return OUTSIDE
        return min(int(self.before[cell]), 10)

    def pairs(self) -> Iterator[tuple[list[int], list[int] | None]]:
        """Yield each bomb with what it is after the step, None if it exploded."""
        left = [bomb for bomb in self.new_bombs if bomb[3] < 9]
        for bomb in self.bombs:
            after = left[0] if left else None
            if (
                after is not None
                and after[2:5] == [bomb[2], bomb[3] - 1, bomb[4]]
                and abs(after[0] - bomb[0]) + abs(after[1] - bomb[1]) <= 2
            ):
                yield bomb, left.pop(0)
            else:
                yield bomb, None

    def of_bombs(self) -> Iterator[tuple]:
        """Explosions, chains, kicks, rolling and stopped bombs."""
        exploded = 0
        for bomb, after in self.pairs():
            row, column, owner, life, strength, rolls = bomb
            if after is None:
                exploded += 1
                yield "explodes", life <= 1, rolls, min(strength, 6)
                yield "owner of explosion", self.alive[owner], self.still_alive[owner]
                continue
            moved = after[0] - row, after[1] - column
            if after[5] != rolls:
                yield "turns", rolls, after[5], moved
            if rolls:
                ahead = row + STEPS[rolls][0], column + STEPS[rolls][1]
                yield "rolls", rolls, moved == (0, 0), self.code(ahead)
                if moved == (0, 0):
                    beyond = [other[:2] for other in self.bombs if other != bomb]
                    yield "stopped by a bomb", list(ahead) in beyond
        yield "explosions at once", min(exploded, 5)
        cells = [tuple(bomb[:2]) for bomb in self.new_bombs]
        yield "bombs of one cell", min(len(cells) - len(set(cells)), 2)
        yield "bombs at once", min(len(cells) // 3, 5)

    def of_board(self) -> Iterator[tuple]:
        """Wood and items that burn or appear, flames that end or pile up."""
        flames = self.listed("flames", "flame_ptr", self.index + 1)
        cells = [tuple(flame[:2]) for flame in flames]
        most = max(map(cells.count, cells), default=0)
        yield "flames of one cell", min(most, 3)
        hidden = self.arrays["hidden_items"][self.index : self.index + 2]
        changed = (self.before != self.after) | (hidden[0] != hidden[1])
        for cell in map(tuple, np.argwhere(changed)):
            codes = [min(int(board[cell]), 10) for board in (self.before, self.after)]
            yield "cell", *codes, *(int(items[cell]) for items in hidden)

    def of_agents(self) -> Iterator[tuple]:
        """Moves and what they meet, bombs laid, items taken, deaths."""
        bombs = {tuple(bomb[:2]) for bomb in self.bombs}
        targets = {}
        for player in range(4):
            if not self.alive[player]:
                continue
            action, here = self.actions[player], self.cells[player]
            on_bomb = here in bombs
            if action == LAY:
                ammo = int(self.arrays["agent_ammo"][self.index, player])
                yield "lays", on_bomb, min(ammo, 2)
            else:
                way = STEPS[action]
                targets[player] = there = here[0] + way[0], here[1] + way[1]
                moved = self.new_cells[player] == there
                kick = int(self.arrays["agent_kick"][self.index, player])
                met = self.code(there), there in bombs and kick
                yield "walks", action > 0, *met, moved, on_bomb
            yield from self.of_items(player)
            if not self.still_alive[player]:
                yield "dies", action == LAY, self.new_cells[player] != here
        for one, other in combinations(targets, 2):
            same = targets[one] == targets[other]
            swap = targets[one] == self.cells[other], targets[other] == self.cells[one]
            if same or any(swap):
                moves = [self.new_cells[p] == targets[p] for p in (one, other)]
                yield "meet", same, *swap, *moves
        for player, there in targets.items():
            if there in bombs:
                yield from self.of_kick(player, targets)
        yield "deaths", sum(self.alive) - sum(self.still_alive)

    def of_kick(self, player: int, targets: dict[int, tuple]) -> Iterator[tuple]:
        """A walk onto a bomb: what lies beyond, and who goes there, beyond and here."""
        there, here = targets[player], self.cells[player]
        beyond = 2 * there[0] - here[0], 2 * there[1] - here[1]
        others = [other for other in targets if other != player]
        rolling = [bomb for bomb in self.bombs if bomb[5] and tuple(bomb[:2]) != there]
        ahead = [(b[0] + STEPS[b[5]][0], b[1] + STEPS[b[5]][1]) for b in rolling]
        yield (
            *("kicks", int(self.arrays["agent_kick"][self.index, player])),
            *(self.new_cells[player] == there, self.code(beyond) == PASSAGE),
            any(targets[other] == there for other in others),
            any(targets[other] == here for other in others),
            there in ahead or beyond in ahead,
        )

    def of_items(self, player: int) -> Iterator[tuple]:
        """Items that a player steps on, and what they change."""
        there = self.new_cells[player]
        item = self.code(there)
        if item in ITEMS and self.cells[player] != there:
            changes = []
            for name in ("agent_ammo", "agent_blast", "agent_kick"):
                values = self.arrays[name]
                change = values[self.index + 1, player] - values[self.index, player]
                changes.append(int(np.int8(change)))
            yield "takes", item, *changes

    def of_end(self) -> Iterator[tuple]:
        """How the game ends, and when."""
        if self.arrays["done"][self.step]:
            at_limit = int(self.arrays["step_count"][self.index + 1]) >= LAST_STEP
            result = int(self.arrays["result"][self.step])
            yield "ends", at_limit, result, sum(self.still_alive)
        yield "rewards", *self.arrays["rewards"][self.step].tolist()

    def of_messages(self) -> Iterator[tuple]:
        """Words sent and heard."""
        for first, second in self.arrays["msg_sent"][self.step].tolist():
            yield "first word", first
            yield "second word", second
        heard = self.arrays["msg_obs"][self.index + 1].any(axis=1)
        yield "hear", *heard.tolist()
