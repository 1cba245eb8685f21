"""The Python in README and docs runs as printed, and links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
PAGES = (
    README,
    (ROOT / "docs" / "reinforcement_learning.md").read_text(),
    (ROOT / "docs" / "checking_games.md").read_text(),
    (ROOT / "docs" / "your_own_environment.md").read_text(),
)
SNIPPETS = [
    snippet
    for page in PAGES
    for snippet in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
]


def test_there_are_snippets():
    assert len(SNIPPETS) >= 2


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "README.md", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_links_lead_to_files(target):
    assert (ROOT / target).exists()
