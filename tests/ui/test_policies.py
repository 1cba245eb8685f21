"""Trained policies in the seats: read from the file that was typed, never executed."""

import pickle

import pytest

from tests.agents.policies import saved
from tests.ui.pages import new_game, page_of, server


@pytest.fixture(scope="module")
def client():
    with server() as opened:
        yield opened


def check(client, **options):
    body = {"agent": "policy", "options": options, "game": "tictactoe"}
    return client.post("/api/agents/check", json=body).json()


def test_a_policy_of_a_file_plays(client, tmp_path):
    told = check(client, file=saved(tmp_path / "policy.npz"), deterministic="true")
    assert told["errors"] == {}
    mapping = {**told["mapping"]}
    assert mapping["agent"] == "policy" and mapping["deterministic"] is True
    key = new_game(client, "tictactoe", ["human", mapping], seed=1)
    with page_of(client, key) as page:
        page.turn()
        page.do("play", action=4, number=0)
        after = page.turn()
        assert after["number"] == 2 and after["seats"][1]["agent"].startswith("policy:")


def test_the_choices_have_it_with_a_file_to_name(client):
    rows = {row["name"]: row for row in client.get("/api/agents").json()}
    assert rows["policy"]["file"] and rows["policy"]["budgets"] == []
    form = client.get("/api/agents/form", params={"name": "policy"}).json()
    fields = {field["name"] for field in form["fields"]}
    assert "file" in fields and "trust" not in fields


def test_files_that_are_none_are_refused(client, tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    for file in (f"{tmp_path}/none.npz", f"{tmp_path}/text.npz", "/etc/passwd"):
        (reason,) = check(client, file=file)["errors"].values()
        assert file in reason
    assert "file" in " ".join(check(client)["errors"].values())


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


@pytest.mark.parametrize("ending", [".zip", ".npz", ".safetensors", ".onnx"])
def test_nothing_in_a_file_is_executed(client, tmp_path, ending):
    file, made = tmp_path / f"bomb{ending}", tmp_path / "made"
    file.write_bytes(pickle.dumps(Bomb(str(made))))
    assert check(client, file=str(file))["errors"]
    assert "trust" in check(client, file=str(file), trust="true")["errors"]
    trusting = {"agent": "policy", "file": str(file), "trust": True}
    for seat in (trusting, f"policy:file={file},trust=true"):
        key = new_game(client, "tictactoe", ["human", seat])
        with page_of(client, key) as page:
            while (told := page.hear())["kind"] != "failed":
                pass
        assert told["place"] == "seat 1" and "trust" in told["reason"]
    assert not made.exists()
