"""Which values of an agent's options `tune` tries.

- `rollout=0|10|30`: these;
- `max_depth=5..50`: whole numbers from 5 to 50, both included;
- `exploration=0.1..3`: numbers from 0.1 to 3;
- `exploration=log:0.01..10`: the same, each order of magnitude equally likely;
- `tree`, `paranoid`: every word of the option, true and false.
"""

from dataclasses import dataclass
from typing import Any

from mcts_agents.agents.kinds import AgentKind
from mcts_agents.names import parse_value, unknown_name
from mcts_agents.search.options.option import Option


@dataclass(frozen=True)
class Parameter:
    """The values of one option.

    Attributes:
        name: The option, as the agent's kind names it.
        choices: The values to choose from; empty for a range.
        low: Least value of a range.
        high: Greatest value of a range.
        log: Whether orders of magnitude of a range are equally likely.
        whole: Whether a range is of whole numbers.
    """

    name: str
    choices: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    whole: bool = False

    def suggest(self, trial: Any) -> Any:
        """Return a value for an Optuna trial."""
        if self.choices:
            return trial.suggest_categorical(self.name, self.choices)
        if self.whole:
            low, high = int(self.low), int(self.high)
            return trial.suggest_int(self.name, low, high, log=self.log)
        return trial.suggest_float(self.name, self.low, self.high, log=self.log)


def parse_parameter(text: str, kind: AgentKind) -> Parameter:
    """Return what a text such as `exploration=0.1..3` stands for.

    Args:
        text: The option and its values.
        kind: The kind of agents whose option it is.

    Raises:
        ValueError: An unknown option, or values that it does not take; the message says
            what is allowed.
    """
    name, equals, values = (part.strip() for part in text.partition("="))
    option = kind.described.get(name)
    if option is None:
        raise ValueError(unknown_name(f"option of {kind.name}", name, kind.described))
    if not equals:
        return Parameter(name, _all_words(name, option))
    if ".." in values:
        return _range(name, option, values)
    choices = tuple(_value(option, part.strip()) for part in values.split("|"))
    for value in choices:
        option.check(name, value)
    if len(set(choices)) < max(2, len(choices)):
        raise ValueError(f"{text}: expected at least two different values")
    return Parameter(name, choices)


def _all_words(name: str, option: Option) -> tuple[Any, ...]:
    if option.kind is bool:
        return (False, True)
    if option.choices:
        return option.choices
    raise ValueError(
        f"{name}: expected values, {name}=A|B or {name}=LOW..HIGH; {option.allowed}"
    )


def _range(name: str, option: Option, values: str) -> Parameter:
    log = values.startswith("log:")
    ends = [parse_value(end) for end in values.removeprefix("log:").split("..")]
    numbers = [e for e in ends if isinstance(e, int | float) and e is not True]
    if len(ends) != 2 or len(numbers) != 2 or option.kind not in (int, float):
        raise ValueError(f"{name}={values}: expected {option.allowed}, as LOW..HIGH")
    for number in numbers:
        option.check(name, number)
    low, high = numbers
    if not low < high or (log and low <= 0):
        raise ValueError(
            f"{name}={values}: expected the first number to be the lower one"
            + (", above 0" if log else "")
        )
    return Parameter(name, (), low, high, log, option.kind is int)


def _value(option: Option, text: str) -> Any:
    """Read a value; `none` is a word where the option has such a word."""
    return text if text in option.choices else parse_value(text)
