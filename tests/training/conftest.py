"""What the tests of training share."""

import pytest


@pytest.fixture
def without_onnx(monkeypatch):
    """No ONNX is written, which takes seconds each time.

    The tests that read the file do without this fixture.
    """
    from mcts_agents.learn.training.folder import Folder

    monkeypatch.setattr(Folder, "export", lambda *_: None)
