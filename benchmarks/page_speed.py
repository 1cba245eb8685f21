"""Simulations a second of a search on the page, and of the same search in `bench`.

    python benchmarks/page_speed.py                # a page that receives and reads all
    python benchmarks/page_speed.py --browser      # Chromium shows it, too

A server of its own (`mcts-agents ui`) searches from the opening for a hint while a
page follows; this process searches the same position in one go, as `bench` does. Both
take turns, each after one search that warms it up, with one thread and the same number
of simulations. The time of the page is that from the click to the message with the
result. `processor` is the same ratio by the processor time of the two processes
(Linux), which other programs on the machine disturb less; the browser is in neither
process, but wants a core of its own.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

from websockets.sync.client import connect

from mcts_agents.agents import make_agent
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.cli.bench import _opening

GAMES = {"connect_four": 1_500_000, "hex": 1_000_000, "sushi_go": 400_000}
REPEATS = 7
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def server():
    command = [sys.executable, "-m", "mcts_agents", "ui", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+:\d+", process.stdout.readline())[0]
            yield process.pid, address
        finally:
            process.terminate()


def new_game(address, game, players, spec):
    seats = ["human", *["random"] * (players - 1)]
    body = {"game": game, "seats": seats, "players": players, "adviser": spec}
    request = urllib.request.Request(
        f"{address}/api/games",
        json.dumps(body).encode(),
        {"Origin": address, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["id"]


class Page:
    """A page that reads all it is sent, and asks for hints."""

    def __init__(self, socket):
        self.socket = socket
        while json.loads(self.socket.recv())["kind"] != "position":
            pass

    def hint(self):
        """Return simulations, seconds, and messages of a search."""
        started, messages = time.perf_counter(), 0
        self.socket.send('{"do": "hint"}')
        while True:
            told = json.loads(self.socket.recv())
            messages += told["kind"] == "search"
            if told["kind"] == "search" and told["hinted"] is not None:
                break
        seconds = time.perf_counter() - started
        return told["search"]["simulations"], seconds, messages


@contextmanager
def browser(address, key):
    """Let Chromium show the page."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    service = Service(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        driver.get(f"{address}/play?id={key}")
        time.sleep(3)
        yield
    finally:
        driver.quit()


def measured(game, simulations, watched):
    spec = f"mcts:simulations={simulations}"
    table = open_table(game, None)
    table.begin(0)
    agent = make_agent(spec, seed=0)
    with server() as (process, address), _opening(table, agent) as position:
        key = new_game(address, game, table.model.players, spec)
        link = f"ws://{address.removeprefix('http://')}/api/tables/{key}"
        with (
            connect(link, origin=address, max_size=None) as socket,
            watched(address, key),
        ):
            page = Page(socket)
            agent.search(*position)
            page.hint()
            for _ in range(REPEATS):
                started, used = time.perf_counter(), time.process_time()
                agent.search(*position)
                alone = time.perf_counter() - started
                used = time.process_time() - used
                before = processor_seconds(process)
                made, seconds, messages = page.hint()
                there = processor_seconds(process) - before
                assert made == simulations
                rates = simulations / alone, simulations / seconds
                yield (*rates, messages, seconds, used / there)


@contextmanager
def unwatched(address, key):
    yield


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("games", nargs="*", default=list(GAMES))
    asked = parser.parse_args()
    for game in asked.games:
        runs = list(
            measured(game, GAMES[game], browser if asked.browser else unwatched)
        )
        alone, page, messages, seconds, used = map(
            statistics.median, zip(*runs, strict=True)
        )
        ratio = statistics.median(one[1] / one[0] for one in runs)
        print(
            f"{game}: bench {alone:,.0f}/s, page {page:,.0f}/s, {ratio:.3f}; "
            f"processor {used:.3f}; {messages:.0f} messages in {seconds:.2f} s",
            flush=True,
        )
