"""Options in signatures and in `help`."""

import inspect
import pydoc
from dataclasses import fields

import pytest

from mcts_agents import MCTSAgent, SearchSettings
from mcts_agents.model.copying.copy_options import (
    COPY_OPTIONS,
    CopyKeywords,
    CopyOptions,
)
from mcts_agents.search.options.option import options_of

AGENT = ["seed", *COPY_OPTIONS]
NAMES = [field.name for field in fields(SearchSettings)]


def test_the_signature_has_every_option_and_its_default():
    parameters = inspect.signature(MCTSAgent).parameters
    assert [*parameters] == [*AGENT, *NAMES]
    assert {p.kind for p in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    for field in fields(SearchSettings):
        assert parameters[field.name].default == field.default


def test_what_is_said_of_environments_is_typed():
    assert [*CopyKeywords.__annotations__] == [*COPY_OPTIONS]
    for field in fields(CopyOptions):
        assert CopyKeywords.__annotations__[field.name] == field.type


def test_help_has_every_option_its_meaning_and_what_is_allowed():
    text = " ".join(pydoc.plain(pydoc.render_doc(MCTSAgent)).replace("|", " ").split())
    assert "Plans by Monte Carlo tree search. Args: seed: See `Agent`." in text
    for field in fields(SearchSettings):
        option = options_of(SearchSettings)[field.name]
        meaning = " ".join(option.text.replace("|", " ").split())
        assert f" {field.name}={field.default!r}: {meaning} Allowed: " in text
    assert "Allowed: 'all', 'game'" not in text
    assert "one of 'nearest', 'next', or None." in text
    assert "an integer from 1, or None." in text
    assert "Allowed: True or False." in text


def test_lines_of_the_help_are_short():
    assert max(map(len, inspect.getdoc(MCTSAgent).splitlines())) <= 88


def test_a_subclass_has_its_own_signature_and_help():
    class Plain(MCTSAgent):
        """Plans with ten simulations."""

        def __init__(self, seed: int | None = None):
            super().__init__(simulations=10, seed=seed)

    assert [*inspect.signature(Plain).parameters] == ["seed"]
    assert Plain.__doc__ == "Plans with ten simulations."
    assert repr(Plain(seed=3)) == "Plain(simulations=10, seed=3)"


def test_what_the_signature_does_not_have_is_refused():
    with pytest.raises(ValueError, match="simulatons"):
        MCTSAgent(simulatons=100)
