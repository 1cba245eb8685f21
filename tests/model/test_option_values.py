"""Values of options of rules, against the types of the defaults."""

import math

import numpy as np
import pytest

from mcts_agents.model.spec import wrong_kind
from tests.games.matrix_games import ZERO_SUM

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "default", "expected"),
    [
        (NAN, 0.5, "share=nan: own needs a number, such as the default, 0.5"),
        (np.float32("nan"), 0.5, "needs a number"),
        (10**400, 0.5, "needs a number"),
        (1j, 0.5, "needs a number"),
        (True, 0.5, "needs a number"),
        ("10**23", 0.5, "share='10**23': own needs a number"),
        (10**23, 3, "needs a whole number of 64 bits, such as the default, 3"),
        (NAN, 3, "share=nan: own needs a whole number"),
        (1.5, 3, "needs a whole number"),
        (1, False, "share=1: own needs true or false"),
    ],
)
def test_values_of_another_kind_are_told_in_one_line(value, default, expected):
    told = wrong_kind("share", value, default, "own")
    assert expected in told
    assert "\n" not in told


@pytest.mark.parametrize("value", [math.inf, -math.inf, 2, 10**300, np.float32(0.25)])
def test_numbers_may_be_infinite(value):
    assert wrong_kind("share", value, 0.5, "own") == ""


def test_not_a_number_is_right_where_it_is_the_default():
    assert wrong_kind("share", NAN, NAN, "own") == ""


def test_models_are_not_made_of_them():
    with pytest.raises(ValueError, match=r"^shift=nan: .* needs a number"):
        ZERO_SUM.model(shift=NAN)
