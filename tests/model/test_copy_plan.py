"""The copies of one plan: what they share, and what is each one's own."""

import functools
import random
import types
import warnings
from collections import defaultdict
from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent
from mcts_agents.model.copying import cloning_constants
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_constants import is_constant
from mcts_agents.model.copying.copy_plan import CopyPlan
from mcts_agents.model.copying.dice import GENERATORS, generators_in
from mcts_agents.model.copying.face_kinds import face_of
from tests.model.third_party import Dice


class Card:
    """Compares all that it holds."""

    def __init__(self, suit, rank):
        self.suit, self.rank = suit, rank

    def __eq__(self, other):
        if not isinstance(other, Card):
            return NotImplemented
        return (self.suit, self.rank) == (other.suit, other.rank)

    def __hash__(self):
        return hash((self.suit, self.rank))


class Player:
    """Compares its name only; its chips change."""

    def __init__(self, name):
        self.name, self.chips = name, 10

    def __eq__(self, other):
        return isinstance(other, Player) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


class Fussy(Card):
    """Refuses values that it does not know."""

    def __eq__(self, other):
        return "shdc".index(other.suit) >= 0 and super().__eq__(other)

    __hash__ = Card.__hash__


@dataclass(frozen=True)
class Place:
    row: int
    column: int


class Liar(Card):
    """Says that it is constant by comparing all, and is not."""

    __hash__ = Card.__hash__


class Deck(Dice):
    """Throws, and holds things."""

    held = Card

    def reset(self, *, seed=None, options=None):
        found = super().reset(seed=seed)
        self.cards = [self.held("s", rank) for rank in range(5)]
        self.player = Player("one")
        self.places = {Place(0, 1): Place(1, 0)}
        self.own = np.random.RandomState(seed)
        self.python = random.Random(seed)
        return found

    def step(self, action):
        self.player.chips -= 1
        return super().step(action)


class Lying(Deck):
    held = Liar

    def step(self, action):
        self.cards[0].rank += 1
        return super().step(action)


def first_and_copies(env, count=2, seed=0):
    env.reset(seed=3)
    plan = CopyPlan(np.random.default_rng(seed))
    first = plan.first(face_of(env).clone(Cloner()))
    return plan, first.env, [plan.copy(first).env for _ in range(count)]


def test_generators_are_made_once_for_a_plan_and_never_the_live_ones():
    env = Deck()
    _, first, (one, other) = first_and_copies(env)
    for name in ("_np_random", "own", "python"):
        generator = getattr(first, name)
        assert generator is getattr(one, name) is getattr(other, name)
        assert generator is not getattr(env, name)
    assert one.own.random() != other.own.random()
    again = first_and_copies(Deck())[1]
    assert again.own.random() != np.random.RandomState(3).random()
    assert first_and_copies(Deck())[1].own.random_sample() == one_draw(0)
    assert one_draw(0) != one_draw(1)


def one_draw(seed):
    return first_and_copies(Deck(), seed=seed)[1].own.random_sample()


def test_a_generator_made_on_the_way_is_replaced_by_a_fresh_one():
    plan, _, (one, _) = first_and_copies(Deck())
    one.own = np.random.RandomState(5)
    twin = plan.copy(face_of(one)).env
    assert twin.own is not one.own
    assert twin.own.random_sample() != np.random.RandomState(5).random_sample()


def test_constant_objects_are_shared_by_copies_but_not_with_the_live_environment():
    env = Deck()
    _, first, (one, other) = first_and_copies(env)
    assert one.cards is not other.cards
    assert all(a is b for a, b in zip(one.cards, other.cards, strict=True))
    assert all(a is not b for a, b in zip(one.cards, env.cards, strict=True))
    assert [*one.places] == [*env.places]
    assert next(iter(one.places)) is next(iter(first.places))
    assert one.player is not other.player
    one.player.chips = 3
    assert (other.player.chips, env.player.chips) == (10, 10)


@pytest.mark.parametrize(
    ("value", "constant"),
    [
        (Card("s", 1), True),
        (Place(1, 2), True),
        (Player("a"), False),
        (Fussy("s", 1), False),
        (types.SimpleNamespace(a=1), False),
        (Card("s", [1]), False),
    ],
)
def test_what_is_constant(value, constant):
    kind = type(value)
    compares = kind.__hash__ is not None and kind.__eq__ is not object.__eq__
    assert (compares and is_constant(value)) == constant


def test_an_attribute_that_came_later_makes_an_object_changeable():
    assert is_constant(Card("s", 1))
    marked = Card("s", 1)
    marked.face_up = False
    assert not is_constant(marked)


def test_a_class_that_breaks_its_word_is_named_and_copied_from_then_on():
    env = Lying()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=5, perfect_information=True, seed=0)
    with pytest.warns(UserWarning, match=r"Liar.*from now on|Liar.*From now on"):
        agent.act(env)
    assert [card.rank for card in env.cards] == [0, 1, 2, 3, 4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.act(env)
    _, _, (one, other) = first_and_copies(Lying())
    assert one.cards[0] is not other.cards[0]


@dataclass(frozen=True)
class Lamp:
    on: bool


class Switching(gymnasium.Env):
    """Each step switches a lamp; ten steps.

    Args:
        late: Whether the first step makes the lamp.
        replaced: Whether steps put another lamp there instead of changing it.
    """

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(2)

    def __init__(self, late, replaced):
        self.late, self.replaced = late, replaced

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamp, self.steps = None if self.late else Lamp(False), 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        if self.lamp is None or self.replaced:
            self.lamp = Lamp(self.lamp is None or not self.lamp.on)
        else:
            object.__setattr__(self.lamp, "on", not self.lamp.on)
        earned = float(self.lamp.on == action)
        return int(self.lamp.on), earned, self.steps == 10, False, {}


@pytest.mark.parametrize(
    ("late", "deterministic"), [(False, False), (False, True), (True, True)]
)
def test_frozen_objects_that_change_in_place_are_noticed(
    monkeypatch, late, deterministic
):
    monkeypatch.setattr(cloning_constants, "_COMPARED", {})

    def visits(replaced):
        env = Switching(late, replaced)
        env.reset(seed=0)
        agent = MCTSAgent(
            simulations=60,
            perfect_information=True,
            deterministic=deterministic,
            seed=0,
        )
        return agent.plan(env).visits.tolist()

    # All simulations together switch it an even number of times.
    with pytest.warns(UserWarning, match=r"Lamp can be hashed"):
        visits(replaced=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert visits(replaced=False) == visits(replaced=True)


@dataclass(frozen=True)
class Stone:
    weight: int

    @functools.cached_property
    def double(self):
        return 2 * self.weight

    @functools.cached_property
    def looks(self):
        return []


class Weighing(Switching):
    """Asks a stone for what it caches, a number or a list that is then added to."""

    def __init__(self, cached):
        super().__init__(late=True, replaced=True)
        self.cached = cached

    def reset(self, *, seed=None, options=None):
        self.stones = [Stone(0)]
        return super().reset(seed=seed)

    def step(self, action):
        found = getattr(self.stones[-1], self.cached)
        if self.cached == "looks":
            found.append(action)
        else:
            self.stones.append(Stone(int(action)))
        return super().step(action)


@pytest.mark.parametrize("deterministic", [False, True])
def test_frozen_objects_that_cache_numbers_do_not_change(monkeypatch, deterministic):
    """What they cache besides may change, and so they are noticed."""
    monkeypatch.setattr(cloning_constants, "_COMPARED", {})
    plan = functools.partial(
        MCTSAgent, simulations=60, perfect_information=True, seed=0
    )
    for cached in ("double", "looks"):
        env = Weighing(cached)
        env.reset(seed=0)
        agent = plan(deterministic=deterministic)
        if cached == "looks":
            with pytest.warns(UserWarning, match=r"Stone can be hashed"):
                agent.plan(env)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            agent.plan(env)


def test_dictionaries_with_defaults_keep_them():
    held = types.SimpleNamespace(found=[])
    held.counts = defaultdict(lambda: held.found.append(1), a=[2])
    twin = Cloner().clone(held)
    assert twin.counts["b"] is None
    assert (twin.found, held.found) == ([1], [])
    assert twin.counts["a"] is not held.counts["a"]


def test_objects_that_refuse_to_be_changed_are_copied():
    class Refusing:
        def __setattr__(self, name, value):
            raise AttributeError(name)

    live = Refusing()
    vars(live)["held"] = [1]
    twin = Cloner().clone(live)
    assert twin.held == [1]
    assert twin.held is not live.held


def test_a_tuple_that_holds_itself_is_copied():
    held = [1]
    ring = (held,)
    held.append(ring)
    twin = Cloner().clone(ring)
    assert twin[0][1] is twin
    assert twin[0] is not held


def test_a_copy_that_is_given_up_closes_nothing_of_the_original():
    closed = []

    class Closing:
        def __init__(self):
            self.name, self.generator = "live", (i for i in range(3))

        def __del__(self):
            if hasattr(self, "name"):
                closed.append(self.name)

    live = Closing()
    with pytest.raises(ValueError, match="generator"):
        Cloner().clone(live)
    assert closed == []
    del live
    assert closed == ["live"]


def test_all_kinds_of_generators_are_found():
    # The walk to them skips what the collector of garbage does not know.
    makes = (np.random.MT19937, np.random.PCG64, np.random.Philox, np.random.SFC64)
    made = [make(0) for make in makes]
    made += [np.random.default_rng(0), np.random.RandomState(0), random.Random(0)]
    found = generators_in([{"deep": (generator,)} for generator in made])
    assert all(isinstance(generator, GENERATORS) for generator in made)
    assert {id(g) for g in found} >= {id(g) for g in made}


def test_copies_of_gymnasiums_environments_play_alike():
    env = gymnasium.make("Acrobot-v1")
    _, first, (one, other) = first_and_copies(env)
    for action in (0, 1, 2, 2):
        assert (one.step(action)[0] == other.step(action)[0]).all()
    assert (first.unwrapped.state == env.unwrapped.state).all()
