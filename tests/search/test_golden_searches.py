"""Searches that were recorded before are the same searches now; see the recorder."""

import pytest

from tests.search.golden_searches import CASES, record, recorded

RECORDED = recorded()


def test_every_configuration_is_recorded():
    assert list(RECORDED) == list(CASES)
    assert len(CASES) >= 40


@pytest.mark.parametrize("case", CASES)
def test_a_search_is_as_recorded(case):
    assert record(case) == RECORDED[case]
