"""The progress of many games."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def game_progress(console: Console) -> Progress:
    """Return a progress bar that counts games and says how long they will take."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("elapsed,"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        # Games take seconds; their speed is a mean over the last minutes.
        speed_estimate_period=300.0,
    )
