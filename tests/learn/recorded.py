"""How tests record, and what a recording is compared with."""

from mcts_agents.arena.playing.backends import Backend
from mcts_agents.learn.recording import run_recording
from mcts_agents.learn.recording_spec import Recording, RecordingSpec

HEX = {
    "game": "hex:size=3",
    "agents": ["mcts:simulations=30", "random"],
    "games": 7,
    "seed": 4,
    "explore_moves": 2,
    "games_per_shard": 3,
}


class Here(Backend):
    """Plays in this process, one game after the other."""

    def __init__(self, work):
        self.work = work

    def play(self, fixtures):
        yield from map(self.work, fixtures)

    def close(self):
        pass


def record_here(folder, told=lambda games: None, **keys):
    """Record in this process."""
    recording = Recording.of(RecordingSpec(**{**HEX, **keys}))
    return run_recording(recording, folder, Here(recording.work), told)


def files(folder):
    """Return the bytes of all files of a dataset, by name."""
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    found.pop("dataset.json.lock", None)
    return found
