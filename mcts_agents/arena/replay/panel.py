"""Frames of a replay: the picture of the position, with search results beside it."""

import functools
from typing import Any

import numpy as np

from mcts_agents.arena.replay import wording
from mcts_agents.arena.replay.replaying import Moment, Move, Replay, SeenAction
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    INK,
    MUTED,
    PANEL,
    Color,
    lighter,
)
from mcts_agents.envs.seats import seat_color
from mcts_agents.extras import from_extra

with from_extra("pictures", "pictures of a replay need Pillow"):
    from PIL import Image, ImageDraw, ImageFont

# Of a panel at the right; one below is as wide as the picture.
WIDTH = 380
# Of one player's part where several decide at once.
LEAST_COLUMN = 236
MARGIN = 16
TITLE, LARGE, NORMAL, SMALL = 20, 18, 15, 13
LINE = 22  # from one line of text to the next
VARIATION_LINES = 3
PROGRESS = 5  # height of the bar that shows how far the game is
WARNING: Color = (190, 60, 20)
# Between the ends of a bar and what is written on it.
INSIDE = 5
# Width of the numbers at the right of a table.
NUMBER = 60


class Panel:
    """Draws frames of one replay, all of the same size.

    Where one player decides at a time the panel stands at the right; where several may
    decide at once it stands below, with a column for each player.

    Args:
        replay: The replay.
        actions: Most actions of a search to show.
    """

    def __init__(self, replay: Replay, actions: int):
        self.replay = replay
        self.together = replay.together
        self.rows = min(actions, replay.model.actions) if replay.search else 0
        self.picture_size = replay.picture_size
        width, height = self.picture_size
        block = LINE + 6 + (LINE if self.rows else 0)
        if self.rows:
            block += (2 + self.rows + VARIATION_LINES) * LINE + 4
        header = 2 * MARGIN + LINE
        players = replay.model.players
        if self.together:
            inside = max(width, LEAST_COLUMN + 2 * MARGIN) - MARGIN
            rows = -(-players // min(players, inside // LEAST_COLUMN))
            self.per_row = -(-players // rows)  # rows of about the same length
            self.column = inside // self.per_row
            self.block = block + LINE + MARGIN
            self.size = (
                max(width, LEAST_COLUMN + 2 * MARGIN),
                height + header + rows * self.block + PROGRESS,
            )
        else:
            needed = header + players * LINE + MARGIN + LINE + block + MARGIN
            self.size = (width + WIDTH, max(height, needed) + PROGRESS)

    def frame(self, moment: Moment) -> Image.Image:
        """Return the frame of the replay's current moment, in mode RGB."""
        frame = Image.new("RGB", self.size, BACKGROUND)
        board = Image.fromarray(np.ascontiguousarray(self.replay.picture()))
        draw = ImageDraw.Draw(frame)
        if self.together:
            frame.paste(board, ((self.size[0] - board.width) // 2, 0))
            self._below(draw, moment, board.height)
        else:
            frame.paste(board, (0, (self.size[1] - PROGRESS - board.height) // 2))
            self._beside(draw, moment, board.width)
        self._progress(draw, moment)
        return frame

    # -- the two layouts

    def _beside(self, draw: Any, moment: Moment, left: int) -> None:
        """Write the seats, then the one decision."""
        draw.rectangle((left, 0, *self.size), fill=PANEL)
        draw.line((left, 0, left, self.size[1]), fill=FAINT)
        x, right, y = left + MARGIN, self.size[0] - MARGIN, MARGIN
        self._header(draw, moment, x, right, y)
        y += MARGIN + LINE
        for player in range(self.replay.model.players):
            self._seat(draw, moment, player, x, right, y)
            y += LINE
        y += MARGIN // 2
        draw.line((x, y, right, y), fill=FAINT)
        y += MARGIN // 2
        for move in moment.moves:
            write(draw, (x, y), f"player_{move.player} plays", NORMAL, MUTED, right - x)
            self._decision(draw, move, x, right, y + LINE)

    def _below(self, draw: Any, moment: Moment, top: int) -> None:
        """Write a column for each player, with the seat and the decision."""
        draw.rectangle((0, top, *self.size), fill=PANEL)
        draw.line((0, top, self.size[0], top), fill=FAINT)
        y = top + MARGIN
        self._header(draw, moment, MARGIN, self.size[0] - MARGIN, y)
        y += MARGIN + LINE
        moves = {move.player: move for move in moment.moves}
        for player in range(self.replay.model.players):
            row, column = divmod(player, self.per_row)
            x = MARGIN + column * self.column
            right, at = x + self.column - MARGIN, y + row * self.block
            self._seat(draw, moment, player, x, right, at)
            if player in moves:
                self._decision(draw, moves[player], x, right, at + LINE)

    # -- the parts

    def _header(self, draw: Any, moment: Moment, x: int, right: int, y: int) -> None:
        place = f"move {moment.number}" if moment.number else "opening"
        number = f"game {self.replay.record.number}, {place}"
        taken = write(draw, (right, y), number, NORMAL, MUTED, right - x, "ra")
        width = right - x - taken - MARGIN
        write(draw, (x, y - 3), self.replay.game.title, TITLE, INK, width)

    def _seat(
        self, draw: Any, moment: Moment, player: int, x: int, right: int, y: int
    ) -> None:
        seat = self.replay.record.seats[player]
        color = seat_color(player)
        draw.ellipse((x, y + 3, x + 11, y + 14), fill=color)
        if moment.over:
            outcome = seat.outcome(self.replay.model.has_points)
            right -= write(draw, (right, y), outcome, SMALL, INK, right - x, "ra")
            right -= 8
        write(draw, (x + 18, y), f"{player}  {seat.agent}", NORMAL, INK, right - x - 18)

    def _decision(self, draw: Any, move: Move, x: int, right: int, y: int) -> None:
        """Write one move, and what the search found."""
        width = right - x
        write(draw, (x, y), move.name, LARGE, INK, width)
        y += LINE + 4
        view = move.search
        text, color = wording.changed(move), WARNING
        if not text and view is not None:
            text, color = wording.effort(view), MUTED
        write(draw, (x, y), text, SMALL, color, width)
        y += LINE
        if view is None or not view.searched or not self.rows:
            return
        at = right - INSIDE
        write(draw, (at - NUMBER, y), "visits", SMALL, MUTED, NUMBER, "ra")
        write(draw, (at, y), "value", SMALL, MUTED, NUMBER, "ra")
        y += LINE - 3
        most = wording.most_visits(view)
        for seen in view.top(self.rows, move.action):
            self._action(draw, move, seen, most, x, right, y)
            y += LINE
        y += 4
        write(draw, (x, y), "principal variation", SMALL, MUTED, width)
        y += LINE - 3
        write_wrapped(
            draw,
            (x, y),
            [f"{player}: {name}" for player, name in view.principal_variation],
            width,
        )

    def _action(
        self,
        draw: Any,
        move: Move,
        seen: SeenAction,
        most: int,
        x: int,
        right: int,
        y: int,
    ) -> None:
        """Write one action on its bar; the one that was played has a darker bar."""
        bar_end, right = right, right - INSIDE
        color = seat_color(move.player)
        was_played = seen.action == move.action
        bar = lighter(color, 0.5 if was_played else 0.8)
        length = round((bar_end - x) * seen.visits / most)
        if length:
            draw.rectangle((x, y, x + length, y + LINE - 4), fill=bar)
        at = y + 1
        taken = write(
            draw, (right, at), wording.value(seen.value), NORMAL, INK, NUMBER, "ra"
        )
        visits = f"{seen.visits:,}"
        taken = NUMBER + write(
            draw, (right - NUMBER, at), visits, NORMAL, INK, NUMBER, "ra"
        )
        write(
            draw,
            (x + INSIDE, at),
            seen.name,
            NORMAL,
            INK,
            right - x - taken - 2 * INSIDE,
        )

    def _progress(self, draw: Any, moment: Moment) -> None:
        """Show at the lower edge how much of the game is played."""
        width, height = self.size
        made = moment.moves[-1].decision if moment.moves else 0
        done = round(width * made / max(1, len(self.replay.record.moves)))
        draw.rectangle((0, height - PROGRESS, width, height), fill=FAINT)
        if done:
            draw.rectangle((0, height - PROGRESS, done, height), fill=MUTED)


@functools.lru_cache
def font(size: int) -> Any:
    """Return Pillow's built-in font, which is always available."""
    return ImageFont.load_default(size=size)


def write(
    draw: Any,
    position: tuple[int, int],
    text: str,
    size: int,
    color: Color,
    width: int,
    anchor: str = "la",
) -> int:
    """Write one line, shortened if it is wider than `width`; return its width."""
    shown, letters = text, font(size)
    while shown and letters.getlength(shown) > width:
        shown = shown.rstrip("…")[:-1].rstrip() + "…"
        if shown == "…":
            break
    draw.text(position, shown, color, letters, anchor)
    return round(letters.getlength(shown))


def write_wrapped(
    draw: Any, position: tuple[int, int], parts: list[str], width: int
) -> None:
    """Write parts of a principal variation, wrapped to the available lines."""
    letters = font(SMALL)
    lines, line = [], ""
    for part in parts:
        longer = f"{line}   {part}" if line else part
        if line and letters.getlength(longer) > width:
            lines.append(line)
            line = part
        else:
            line = longer
    lines.append(line)
    if len(lines) > VARIATION_LINES:
        lines = lines[:VARIATION_LINES]
        lines[-1] += "  …"
    x, y = position
    for line in lines:
        write(draw, (x, y), line, SMALL, INK, width)
        y += LINE - 3
