"""No plan changes the live environment, whatever else refers to it or is shared."""

import copy
import enum
import itertools
import random
import sys
import threading
import weakref

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent, remember
from mcts_agents.model import new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.outside import SharedStateError
from tests.model.third_party import AtOnce, Countdown

BOARD = np.zeros(3, np.int64)
LISTENERS: list = []
GAMES: dict = {}
CURRENT = None
DICE = np.random.default_rng(3)


class Table:
    """The only one, reached through its class."""

    it = None

    def __init__(self):
        self.moves = 0

    @classmethod
    def get(cls):
        cls.it = cls.it or cls()
        return cls.it


class Inbox(Countdown):
    """Observations take messages away, are counted, and fill a table on first use."""

    table = None

    def __init__(self):
        super().__init__(players=2, start=9)
        self.looks = 0

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.inbox = {agent: ["welcome"] for agent in self.agents}

    def observe(self, agent):
        if Inbox.table is None:
            Inbox.table = list(range(10))
        self.looks += 1
        self.last = self.left, Inbox.table[self.left], self.inbox[agent]
        self.inbox[agent] = []
        return {"observation": self.last, "action_mask": np.ones(2, np.int8)}

    def state(self):
        return copy.deepcopy(vars(self))


def put(env, state):
    vars(env).update(copy.deepcopy(state))


@pytest.mark.parametrize("mask", [None, np.ones(2, np.int8)])
@pytest.mark.parametrize("options", [{}, {"snapshots": (Inbox.state, put)}])
def test_a_plan_takes_nothing_away_that_an_observation_would(options, mask):
    env = Inbox()
    env.reset(seed=0)
    env.step(1)
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0, **options)
    before = env.state()
    for _ in range(6):
        Inbox.table = None
        agent.plan(env, action_mask=mask)
        assert env.state() == before


class Counting(gymnasium.Env):
    """Counts how often it was asked for its masks."""

    observation_space = spaces.Discrete(10)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = self.asked = 0
        return 0, {}

    def action_masks(self):
        self.asked += 1
        return np.array([True, True])

    def step(self, action):
        self.steps += 1
        return self.steps, float(action), self.steps == 6, False, {}


def copied_counting(env):
    return copy.deepcopy(vars(env))


@pytest.mark.parametrize("how", ["copies", "snapshots", "replay"])
def test_a_plan_does_not_count_as_asking_for_masks(how):
    options = {
        "copies": {},
        "snapshots": {"snapshots": (copied_counting, put)},
        "replay": {"replay": Counting, "deterministic": True},
    }[how]
    env = remember(Counting()) if how == "replay" else Counting()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0, **options)
    for _ in range(6):
        agent.plan(env)
    assert env.unwrapped.asked == 0


class CountingNoise(Counting):
    """Declares masks, so that they are asked for before all else; throws dice there."""

    observation_space = spaces.Dict(
        {"observation": spaces.Discrete(10), "action_mask": spaces.MultiBinary(2)}
    )

    def action_masks(self):
        self.np_random.random()
        self.action_space.sample()
        return super().action_masks()


@pytest.mark.parametrize("how", ["copies", "snapshots", "replay"])
def test_asking_for_declared_masks_throws_no_dice_of_the_live_environment(how):
    options = {
        "copies": {},
        "snapshots": {"snapshots": (copied_counting, put)},
        "replay": {"replay": CountingNoise},
    }[how]
    env = remember(CountingNoise()) if how == "replay" else CountingNoise()
    env.reset(seed=0)
    space = env.action_space
    space.seed(3)
    expected = [space.sample() for _ in range(20)]
    space.seed(3)
    twin = CountingNoise()
    twin.reset(seed=0)
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0, **options)
    for _ in range(3):
        agent.plan(env)
    assert env.unwrapped.asked == 0
    assert env.unwrapped.np_random.random() == twin.np_random.random()
    assert [space.sample() for _ in range(20)] == expected


class Observed(AtOnce):
    """A parallel environment that cannot be copied; observations count and draw."""

    def __init__(self):
        super().__init__(["a", "b"])
        self.lock, self.looks = threading.Lock(), 0

    def reset(self, seed=None, options=None):
        self.dice = np.random.default_rng(seed)
        return super().reset(seed, options)

    def observe(self, agent):
        self.looks += 1
        noise = float(self.dice.random())
        return {"observation": noise, "action_mask": np.ones(2, np.int8)}

    def observations(self):
        return {agent: self.observe(agent) for agent in self.agents}

    def step(self, actions):
        self.rounds += 1
        return self.outcome(dict.fromkeys(self.agents, 1.0), self.rounds == 5)


def test_a_replay_observes_nothing_of_a_live_environment_that_cannot_be_copied():
    env, twin = remember(Observed()), Observed()
    for each in (env, twin):
        each.reset(seed=4)
    looks = env.unwrapped.looks
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0, replay=Observed)
    for _ in range(3):
        agent.plan(env, "a")
    assert env.unwrapped.looks == looks
    assert env.unwrapped.dice.random() == twin.dice.random()


OF_ALL = np.random.default_rng(5)
NOISE = {
    "numpy": lambda env: np.random.normal(),  # noqa: NPY002
    "Python": lambda env: random.random(),
    "the module": lambda env: OF_ALL.random(),
    "the class": lambda env: env.dice_of_all.random(),
    "a space": lambda env: env.space.sample()[0],
    "torch": lambda env: float(sys.modules["torch"].rand(1)),
}


class Noisy(Countdown):
    """Observations with noise that all copies draw from the same generator."""

    dice_of_all = np.random.default_rng(6)
    space = spaces.Box(0.0, 1.0, (1,))

    def __init__(self, of="numpy"):
        super().__init__(players=2, start=9)
        self.of = of

    def observe(self, agent):
        return np.array([self.left, NOISE[self.of](self)])


@pytest.mark.parametrize("of", NOISE)
def test_observations_with_noise_that_all_share_are_no_difference(of):
    if of == "torch":
        pytest.importorskip("torch")
    env = Noisy(of)
    env.reset(seed=0)
    env.step(1)
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0)
    results = [agent.plan(env) for _ in range(3)]
    quiet = Countdown(players=2, start=9)
    quiet.reset(seed=0)
    quiet.step(1)
    other = MCTSAgent(simulations=30, perfect_information=True, seed=0)
    for result in results:
        assert result.visits.tolist() == other.plan(quiet).visits.tolist()


class Taking(gymnasium.Env):
    """Turns go round by an iterator that Python makes of a range."""

    observation_space = spaces.Discrete(10)
    action_space = spaces.Discrete(3)

    def __init__(self, made):
        self.made = made

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn, self.steps = self.made(), 0
        self.want = next(self.turn)
        return 0, {}

    def step(self, action):
        self.steps += 1
        reward = float(self.want in (action, (action, action)))
        self.want = next(self.turn)
        return 0, reward, self.steps == 6, False, {}


@pytest.mark.parametrize(
    "made",
    [
        lambda: itertools.cycle(range(3)),
        lambda: iter(range(9)),
        lambda: iter(range(2**70)),
        lambda: enumerate(range(9)),
        lambda: map(abs, range(9)),
        lambda: zip(range(9), range(9), strict=True),
        lambda: reversed(range(9)),
        lambda: itertools.islice(range(20), 1, 19, 2),
    ],
)
def test_iterators_over_ranges_stay_where_they_are(made):
    env, twin = Taking(made), Taking(made)
    for each in (env, twin):
        each.reset(seed=0)
        each.step(0)
    agent = MCTSAgent(simulations=60, rollout=0, perfect_information=True, seed=0)
    for _ in range(3):
        agent.plan(env)
    assert [next(env.turn) for _ in range(4)] == [next(twin.turn) for _ in range(4)]


class Begun(Counting):
    """Counts for everybody how many games were begun."""

    games = ()

    def reset(self, *, seed=None, options=None):
        Begun.games = (*Begun.games, len(Begun.games))
        return super().reset(seed=seed)


def test_games_that_are_begun_anew_for_a_first_look_count_as_steps_of_copies():
    env = remember(Begun())
    env.reset(seed=0)
    before = Begun.games
    agent = MCTSAgent(
        simulations=30,
        perfect_information=True,
        seed=0,
        replay=Begun,
        deterministic=True,
    )
    with pytest.raises(SharedStateError, match="games, which lies"):
        agent.plan(env)
    assert Begun.games == before


def test_snapshots_that_change_the_live_environment_are_an_error_all_the_same():
    class Shared(Inbox):
        def step(self, action):
            LISTENERS[0].looks += 1
            super().step(action)

    env = Shared()
    env.reset(seed=0)
    LISTENERS.append(env)
    options = {"snapshots": (Shared.state, put)}
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0, **options)
    try:
        with pytest.raises(SharedStateError, match="steps of copies changed"):
            agent.plan(env)
    finally:
        LISTENERS.clear()


class Six(gymnasium.Env):
    """Six steps; a subclass counts them somewhere in `change`."""

    observation_space = spaces.Discrete(100)

    def __init__(self):
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = self.moves = 0
        self.begin()
        return 0, {}

    def begin(self):
        pass

    def step(self, action):
        self.steps += 1
        self.change()
        return self.count(), 0.0, self.steps == 6, False, {}

    def count(self):
        return self.moves


class ViewOfGlobal(Six):
    def begin(self):
        BOARD[:] = 0
        self.board = BOARD[1:]

    def change(self):
        BOARD[1] += 1

    def count(self):
        return int(self.board[0])


class Singleton(Six):
    def begin(self):
        Table.it = None
        self.table = Table.get()

    def change(self):
        Table.get().moves += 1

    def count(self):
        return self.table.moves


class Listening(Six):
    def begin(self):
        LISTENERS[:] = [self.heard]

    def heard(self):
        self.moves += 1

    def change(self):
        for listener in LISTENERS:
            listener()


class Registered(Six):
    def begin(self):
        GAMES["now"] = self

    def change(self):
        GAMES["now"].moves += 1


class Current(Six):
    def begin(self):
        global CURRENT
        CURRENT = weakref.ref(self)

    def change(self):
        CURRENT().moves += 1


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ViewOfGlobal, "BOARD"),
        (Singleton, "Table"),
        (Listening, "LISTENERS"),
        (Registered, "GAMES"),
        (Current, "CURRENT"),
    ],
)
def test_what_refers_to_the_live_environment_from_outside_moves_nothing(kind, name):
    env = kind()
    env.reset(seed=0)
    env.step(1)
    agent = MCTSAgent(simulations=7, perfect_information=True, seed=0)
    for _ in range(2):
        with pytest.raises(SharedStateError, match=rf"{name}.*has been restored"):
            agent.act(env)
        assert env.count() == 1
    assert env.step(0)[0] == 2


def test_large_tables_do_not_put_off_looking_at_the_live_environment():
    class Late(Listening):
        table = dict.fromkeys(range(5000))

        def change(self):
            if self.steps > 3 and self.table:
                super().change()

    env = Late()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=2, rollout=1, perfect_information=True, seed=0)
    for _ in range(4):
        agent.act(env)
    env.steps = 3
    with pytest.raises(SharedStateError, match=r"env\.moves of the live environment"):
        agent.act(env)
    assert agent._copied._outside._plans == 5
    assert env.moves == 0


def test_a_generator_that_is_both_inside_and_outside_is_put_back():
    class Throwing(Six):
        def begin(self):
            self.dice = DICE

        def change(self):
            self.moves += int(DICE.integers(6))

    env = Throwing()
    env.reset(seed=0)
    before = DICE.bit_generator.state
    MCTSAgent(simulations=7, perfect_information=True, seed=0).act(env)
    assert DICE.bit_generator.state == before


class Phase(enum.Enum):
    OPENING = 1


class Itself:
    """A part that says its copies are itself."""

    moves = 0

    def __deepcopy__(self, memo):
        return self


class SharedPart(Six):
    def begin(self):
        self.part = self.made()
        self.part.moves = 0

    def change(self):
        self.part.moves += 1

    def count(self):
        return self.part.moves


class SharedByItself(SharedPart):
    made = Itself


class SharedEnvelopes(SharedPart):
    """A part whose name begins as a wrapper's attribute does."""

    def begin(self):
        self.envelopes = Itself()

    def change(self):
        self.envelopes.moves += 1

    def count(self):
        return self.envelopes.moves


class SharedMember(SharedPart):
    made = staticmethod(lambda: Phase.OPENING)


class SharedException(SharedPart):
    made = ValueError


class SharedClass(SharedPart):
    made = staticmethod(lambda: type("Made", (), {}))


class SharedModule(SharedPart):
    made = staticmethod(lambda: type(np)("made"))


class SharedSpace(SharedPart):
    made = staticmethod(lambda: spaces.Discrete(3))


class SharedBounds(Six):
    def begin(self):
        self.box = spaces.Box(0, 9, (2,), np.float64)

    def change(self):
        self.box.low[0] += 1

    def count(self):
        return int(self.box.low[0])


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (SharedByItself, r"env\.part\.moves of the live environment"),
        (SharedEnvelopes, r"env\.envelopes\.moves of the live environment"),
        (SharedMember, r"Phase\.OPENING\.moves"),
        (SharedException, r"env\.part\.moves of the live environment"),
        (SharedClass, r"Made\.moves"),
        (SharedModule, r"made\.moves"),
        (SharedSpace, r"env\.part\.moves of the live environment"),
        (SharedBounds, r"env\.box\.low of the live environment"),
    ],
)
def test_what_copies_share_is_put_back_where_a_step_changes_it(kind, name):
    env = kind()
    env.reset(seed=0)
    env.step(1)
    with pytest.raises(SharedStateError, match=name) as caught:
        MCTSAgent(simulations=7, perfect_information=True, seed=0).act(env)
    assert "\n" not in str(caught.value)
    assert env.count() == 1
    assert env.step(1)[0] == 2


class Unit:
    hp = 10


class Indexed(Six):
    """Finds its units by weak references of all kinds."""

    def begin(self):
        self.units = [Unit(), Unit()]
        first, second = self.units
        self.by_name = weakref.WeakValueDictionary(a=first, b=second)
        self.wounds = weakref.WeakKeyDictionary({first: 0, second: 0})
        self.alive = weakref.WeakSet(self.units)
        self.leader = weakref.proxy(first)
        self.call = weakref.WeakMethod(self.shout)

    def shout(self):
        self.moves += 1

    def change(self):
        self.by_name["b"].hp -= 1
        self.leader.hp -= 1
        self.wounds[self.units[0]] += 1
        for unit in self.alive:
            unit.hp -= 1
        self.call()()

    def count(self):
        return sum(unit.hp for unit in self.units)


def test_weak_references_of_copies_refer_to_copies():
    env = Indexed()
    env.reset(seed=0)
    env.step(1)
    before = env.count(), env.moves, list(env.wounds.values())
    agent = MCTSAgent(simulations=7, perfect_information=True, seed=0)
    assert agent.act(env) in (0, 1)
    assert (env.count(), env.moves, list(env.wounds.values())) == before
    model = CopiedEnvironment(env, perfect_information=True)
    with model.planning(None, new_generator(0)) as (state, _):
        twin = model.copy(state)
        model.apply(twin, [1], new_generator(0))
        copied = model.environment(twin).unwrapped
        assert copied.count() == before[0] - 4
        assert copied.moves == 2
        assert list(copied.wounds.values()) == [2, 0]
        del copied.units[0]
        assert len(copied.alive) == len(copied.by_name) == len(copied.wounds) == 1
