"""What a page may send: every message is checked before anything is done with it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from mcts_agents.names import shortened

# Characters of a message; and of texts in it.
MOST_MESSAGE = 20_000
MOST_TEXT = 500
MOST_SEATS = 16
MOST_DEPTH = 200
MOST_WORLDS = 6
MOST_NUMBER = 2**31 - 1
MOST_TOLD = 300

Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
Number = Annotated[int, Field(ge=0, le=MOST_NUMBER, strict=True)]
Value = str | bool | int | float | None
# An agent's mapping, see `mcts_agents.agents.specs`; a spec is one line of text.
Mapping = Annotated[dict[str, Value], Field(max_length=120)]


class MessageError(ValueError):
    """A message that is not one of those that a page may send."""


class Message(BaseModel):
    """The base of all messages: nothing unknown is in them."""

    model_config = ConfigDict(extra="forbid")


class Play(Message):
    """Let the player whose turn it is act, in the position that the page shows."""

    do: Literal["play"]
    action: Number
    number: Number


class Simple(Message):
    """What needs no more than a word."""

    do: Literal["hint", "pause", "resume"]


class Bound(Message):
    """What is meant for one position, and for no other that comes meanwhile."""

    do: Literal["undo", "finish"]
    number: Number


class Step(Message):
    """Make a few simulations, and pause."""

    do: Literal["step"]
    simulations: Annotated[int, Field(ge=1, le=100_000, strict=True)] = 10


class TreeStep(Message):
    """One step down in a tree: the actions of the movers, and who decides next."""

    actions: Annotated[dict[str, Number], Field(max_length=MOST_SEATS)]
    movers: Annotated[list[Number], Field(max_length=MOST_SEATS)]


class Node(Message):
    """Look at one node of a tree."""

    do: Literal["node"]
    player: Number
    path: Annotated[list[TreeStep], Field(max_length=MOST_DEPTH)] = []


class Compare(Message):
    """Compare two actions: why not this move?"""

    do: Literal["compare"]
    first: Number
    second: Number


class Worlds(Message):
    """Look at determinizations of the search that is shown."""

    do: Literal["worlds"]
    first: Number = 0
    count: Annotated[int, Field(ge=1, le=MOST_WORLDS, strict=True)] = 4


class Go(Message):
    """Show a moment of a stored game."""

    do: Literal["go"]
    moment: Number


class NewGame(Message):
    """What a new game begins with; see `play.Setup`."""

    game: Text
    players: Annotated[int, Field(ge=1, le=MOST_SEATS, strict=True)] | None = None
    seats: Annotated[list[Text | Mapping], Field(min_length=1, max_length=MOST_SEATS)]
    adviser: Text | Mapping = "mcts"
    seed: Number = 0
    pace: Annotated[float, Field(ge=0, le=10)] = 0.0


class Fork(Message):
    """A new game from a position of another one.

    `moves` says after how many decisions, and `seats` who plays on; None: the same.
    """

    moves: Number
    seats: (
        Annotated[list[Text | Mapping], Field(min_length=1, max_length=MOST_SEATS)]
        | None
    ) = None


class AgentForm(Message):
    """An agent as the form of its options has it: texts, as they were typed."""

    agent: Text
    options: Annotated[dict[str, Annotated[str, Field(max_length=MOST_TEXT)]], Field()]
    game: Annotated[str, Field(max_length=MOST_TEXT)] = ""


Command = Annotated[
    Play | Simple | Bound | Step | Node | Compare | Worlds | Go,
    Field(discriminator="do"),
]
_COMMAND: TypeAdapter[Any] = TypeAdapter(Command)


def read_command(text: str) -> Any:
    """Return the command in a text that came through a socket.

    Raises:
        MessageError: It is no command; the message says what is wrong.
    """
    if len(text) > MOST_MESSAGE:
        raise MessageError(
            f"a message of {len(text):,} characters; {MOST_MESSAGE:,} are allowed"
        )
    return _read(_COMMAND.validate_json, text)


def read_body(kind: type[Message], body: bytes) -> Any:
    """Return the message of a kind in the body of a request.

    Raises:
        MessageError: It is none; the message says what is wrong.
    """
    return _read(kind.model_validate_json, body)


def _read(validate: Any, given: Any) -> Any:
    try:
        return validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "message"
        raise MessageError(shortened(f"{place}: {first['msg']}", MOST_TOLD)) from error
    except RecursionError as error:
        raise MessageError("message: nested too deeply") from error
