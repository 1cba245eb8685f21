"""What recorded games of the TAG framework show of the rules of their games."""

from collections.abc import Iterator

Step = tuple[dict, dict, dict]


def steps_of(game: dict) -> Iterator[Step]:
    """Yield each step with the states before and after it."""
    state = game["start"]
    for step in game["steps"]:
        after = {**state, **step["d"]}
        yield state, step, after
        state = after


def of_every_game(game: dict) -> set:
    """The number of players, who they are, how the game ended, flags of steps."""
    players = game["players"]
    shown = {("policy", players, game["policy"]), ("finished", game["finished"])}
    shown.add(("results", players, *sorted(game["results"])))
    shown.add(("best", players, game["results"][0]))
    scores = game["scores"]
    best = [n for n, result in enumerate(game["results"]) if result != "lose"]
    shown.add(("tie at the top", players, scores.count(max(scores)), len(best)))
    shown |= {("bug", step.get("tag_bug")) for step in game["steps"]}
    return shown


def ranks(values: list[int]) -> tuple[int, int]:
    """Return how many share the first and the second place."""
    best = max(values)
    rest = [value for value in values if 0 < value < best]
    return values.count(best) if best else 0, rest.count(max(rest, default=0))


# -- Sushi Go!


def of_sushi_go(game: dict) -> set:
    """Cards of each kind by number, wasabi, chopsticks, and shares of prizes."""
    players = game["players"]
    shown = of_every_game(game)
    for state, step, after in steps_of(game):
        for seat, choices in enumerate(step["a"]):
            field = state["fields"][seat]
            for choice in choices:
                card = choice.split(" on ")[0]
                shown.add(("plays", choice))
                shown.add(("number", choice, min(field.get(card, 0), 6)))
                shown.add(("unused wasabi", choice, min(state["wasabi"][seat], 3)))
            if len(choices) == 3:
                shown.add(("two cards", choices[1] == choices[2]))
                is_nigiri = choices[2].endswith("on wasabi")
                shown.add(("nigiri on new wasabi", choices[1] == "wasabi", is_nigiri))
                shown.add(("chopsticks", min(field["chopsticks"], 3), seat))
                size = sum(state["hands"][seat].values())
                shown.add(("chopsticks with cards left", size))
        shown.add(("users", players, sum(len(choices) == 3 for choices in step["a"])))
        if after["round"] > state["round"]:
            shown |= of_round_end(players, state, step)
    puddings = [field.get("pudding", 0) for field in after["fields"]]
    shown.add(("most puddings", players, puddings.count(max(puddings))))
    shown.add(
        ("fewest puddings", players, puddings.count(min(puddings)), 0 in puddings)
    )
    return shown


def of_round_end(players: int, state: dict, step: dict) -> set:
    """How many share the prizes for maki."""
    icons = []
    for field, choices in zip(state["fields"], step["a"], strict=True):
        icons.append(
            sum(
                n * (field.get(f"maki-{n}", 0) + choices.count(f"maki-{n}"))
                for n in (1, 2, 3)
            )
        )
    first, second = ranks(icons)
    return {("maki", players, first, second), ("no maki", players, 0 in icons)}


# -- Love Letter


def of_love_letter(game: dict) -> set:
    """Each card with what became of it, each way to end a round and the game."""
    players = game["players"]
    shown = of_every_game(game)
    for state, step, after in steps_of(game):
        if step["a"] == "draw":
            shown.add(("protection ends", state["protected"][step["p"]]))
            continue
        card, *words = step["a"].split()
        target = int(words[0]) if words else step["p"]
        ended = after["round"] > state["round"] or after["phase"] == "over"
        forced_countess = card == "countess" and len(step["legal"]) == 1
        shown.add(("plays", players, card, forced_countess))
        lost = () if ended else tuple(map(int.__sub__, after["out"], state["out"]))
        shown.add(
            (
                *("effect", card, *words[1:]),
                *("self" if target == step["p"] else "other",),
                *(state["protected"][target], lost.count(1)),
                lost[target : target + 1],
            )
        )
        held = sorted(state["hands"][step["p"]])
        shown.add(("holds", *held))
        shown.add(("reserve drawn", not ended and after["reserve"] is None))
        if card == "prince" and not ended and state["hands"][target]:
            shown.add(("discards", *state["hands"][target][-1:]))
        known = {tuple(entry) for entry in state["known"]}
        for entry in known - {tuple(entry) for entry in after["known"]}:
            shown.add(("no longer known", card, entry[1] == step["p"]))
        if known:
            shown.add(("known", card, any(entry[1] == target for entry in known)))
        if ended:
            shown |= of_end(players, state, after)
    return shown


def of_end(players: int, state: dict, after: dict) -> set:
    """Who wins a round, by what, and whether the game goes on at its target."""
    winners = sum(map(int.__sub__, after["tokens"], state["tokens"]))
    alive = players - sum(state["out"])
    empty = not state["pile"]
    most = max(after["tokens"])
    target = {2: 7, 3: 5, 4: 4}[players]
    return {
        ("round ends", players, winners, empty, alive),
        ("at target", players, most - target if most >= target else -1),
        ("leaders", players, after["tokens"].count(most), most >= target),
        ("starter", players, after["player"], after["phase"] == "over"),
    }


# -- Diamant


def of_diamant(game: dict) -> set:
    """How many leave and stay, what is shared, each hazard, each end of a cave."""
    players = game["players"]
    shown = of_every_game(game)
    for state, step, after in steps_of(game):
        leaving, inside = step["a"].count("exit"), sum(state["inside"])
        shown.add(("leave", players, leaving, inside))
        if leaving:
            share, rest = divmod(state["gems_on_path"], leaving)
            shown.add(("share of the path", leaving, share > 0, rest > 0))
        ended = after["cave"] > state["cave"]
        hazards = len([card for card in state["path"] if not card.isdigit()])
        if ended:
            removed = after["removed"][len(state["removed"]) :]
            shown.add(("cave ends", state["cave"], leaving == inside, *removed))
            shown.add(("lost", players, inside - leaving))
            shown.add(("removed", min(len(after["removed"]), 5)))
        else:
            number = inside - leaving
            card = after["path"][-1]
            if card.isdigit():
                shown.add(("treasure", number, int(card) % number > 0))
                shown.add(("gems", card))
            else:
                shown.add(("hazard", card, hazards))
        if after["phase"] != "over":
            shown.add(("first card", after["path"][0]))
        shown.add(("length of path", len(after["path"])))
    return shown


# -- Colt Express


def of_colt_express(game: dict) -> set:
    """Each round card, each card with what becomes of it, each character's trait.

    Games are long, so that few of them have to show all of it: the number of players
    counts for round cards only.
    """
    is_crowded = game["players"] > 4
    characters = game["start"]["characters"]
    shown = {("bug", step.get("tag_bug")) for step in game["steps"]}
    shown |= {("players", game["players"]), ("winners", game["results"].count("win"))}
    for state, step, after in steps_of(game):
        card = state["round_cards"][state["round"]]
        shown.add(("round", *card, is_crowded, after["phase"]))
        action, *words = step["a"].split()
        character = characters[step["p"]]
        if action in ("play", "draw"):
            is_ghost = character == "Ghost" and state["turn"] == 0
            shown.add((action, card[1][state["turn"]], is_ghost))
            continue
        level = state["positions"][step["p"]][1]
        shown.add((action, level, step["legal"] == [step["a"]]))
        if action == "collect":
            shown.add((action, words[0]))
        elif action == "move":
            is_driven = after["positions"][step["p"]][1] != level
            shown.add((action, level, is_driven))
        elif action in ("shoot", "punch") and words[0] != "nobody":
            target = int(words[0])
            place = after["positions"][target]
            is_pushed = place != state["positions"][target]
            shown.add((action, character, characters[target] == "Belle"))
            shown.add((action, is_pushed, place[1], level))
            if action == "punch":
                shown.add((action, words[2]))
            else:
                shown.add((action, "bullets", min(state["bullets_left"][step["p"]], 1)))
    return shown


# -- Dominion


def of_dominion(game: dict) -> set:
    """Each card played, bought and gained, each question, each end.

    Games are long, so that few of them have to show all of it: the number of players
    counts in attacks only.
    """
    players = game["players"]
    shown = {("bug", step.get("tag_bug")) for step in game["steps"]}
    for state, step, after in steps_of(game):
        action, card = (*step["a"].split(), "")[:2]
        asks = state["context"][-1][0] if state["context"] else state["phase"]
        shown.add(("action", asks, action, after["context"] == []))
        if action == "play":
            asked = after["context"][-1][0] if after["context"] else after["phase"]
            shown.add(("play", card, asked))
        elif action in ("buy", "gain"):
            shown.add((action, card))
        if asks == "militia":
            shown.add(("attack", players, after["player"] == after["turn_of"]))
        if asks == "reaction":
            shown.add(("reaction", action, after["phase"]))
        shown.add(("merchants", min(state["merchants"], 2), after["bonus"] > 0))
        shown.add(("shuffled", action, bool(step.get("shuffled"))))
    shown.add(("ends", after["supply"]["province"] == 0))
    winners = game["results"].count("win")
    return shown | {("players", players), ("winners", min(winners, 2))}


# -- Exploding Kittens


def of_exploding_kittens(game: dict) -> set:
    """Each card with what became of it, each size of a Nope window, each death."""
    shown = of_every_game(game)
    for state, step, after in steps_of(game):
        action, *words = step["a"].split()
        shown.add(("action", state["phase"], action, after["phase"]))
        if state["phase"] == "nope":
            nopes, asked = len(state["stack"]) - 1, len(state["asked"])
            card = state["stack"][0][1].split()[0]
            shown.add(("window", action, card, nopes & 1))
            shown.add(("asked", action, min(asked, 3)))
            actors = [seat for seat, _ in state["stack"]]
            shown.add(("own card", action, actors[0] == step["p"], min(nopes, 3)))
        elif action == "draw":
            died = sum(after["out"]) - sum(state["out"])
            shown.add(("draw", state["draws"], died, after["phase"]))
        elif action == "place":
            depth, left = int(words[0]), len(state["pile"])
            shown.add(("place", depth == 0, depth == left, state["draws"]))
        elif action == "order":
            shown.add(("order", len(words), len(step["legal"])))
        elif action == "give":
            shown.add(("give", words[0]))
        elif action in ("attack", "favor", "skip"):
            shown.add(("on", action, state["draws"]))
    return shown


# -- Poker


def of_poker(game: dict) -> set:
    """Each action where it can be taken, each way in which a hand ends.

    Games are long, so that few of them have to show all of it: the number of players
    counts in few of the features.
    """
    shown = {("players", game["players"]), ("winners", game["results"].count("win"))}
    shown |= {("bug", step.get("tag_bug")) for step in game["steps"]}
    for state, step, after in steps_of(game):
        player, ends = step["p"], step.get("hand_end")
        is_asked, has_chips = state["needs_call"][player], state["stacks"][player] > 0
        is_short = state["stacks"][player] + state["bets"][player] < max(state["bets"])
        shown.add(("action", step["a"], state["phase"], is_asked, has_chips))
        shown.add(("legal", is_asked, is_short, *step["legal"]))
        shown.add(("opens", step["a"] == "fold", state["first_to_act"] == player))
        if ends:
            left = ends["folded"].count(False) - state["out"].count(True)
            levels = len(set(ends["bets"]) - {0})
            shown.add(("end", state["phase"], min(left, 3), min(levels, 4)))
            shown.add(("out", min(sum(after["out"]) - sum(state["out"]), 2)))
            chips = [sum(ends[name]) for name in ("stacks_before", "bets")]
            paid = ends.get("standard_stacks")
            shown.add(("odd chips", paid is not None and sum(paid) < sum(chips)))
    return shown


# -- Uno


def of_uno(game: dict) -> set:
    """What is played on what, and drawn, and how rounds begin and end.

    Games are long, so that few of them have to show all of it: the number of players
    counts where a card acts otherwise among two.
    """
    several = game["players"] > 2
    shown = set()
    for state, step, after in steps_of(game):
        card, on = step["a"].split()[0], state["card"]
        kind = "draw" if card == "draw" else uno_kind(card)
        ended = after["round"] > state["round"]
        if kind == "draw":
            is_played = after["card"] != on
            shown.add(("drawn", uno_kind(after["card"]) if is_played else "kept"))
        elif on[0] == "W":
            shown.add(("on a wild", on, card[1:] in ("0", "4")))
            shown.add(("without a colour", kind == "number", state["colour"] is None))
        elif card[0] != state["colour"]:
            shown.add(("other colour", kind))
        if kind == "R":
            shown.add(("reverse", several))
        if ended:
            shown.add(("ends with", kind == "number", kind == "D"))
        if step.get("new_round"):
            shown.add(("begins with", uno_kind(after["card"])))
        elif step.get("shuffled") and not ended:
            shown.add(("shuffled", kind))
    return shown


def uno_kind(card: str) -> str:
    """Return `number`, or what an action card or a wild is."""
    if card[0] == "W":
        return card
    return "number" if card[1].isdigit() else card[1]


# -- Virus!


def of_virus(game: dict) -> set:
    """What each card is played on, discards and draws, and how the game ends.

    Games are long, so that few of them have to show all of it: colours count only
    where they decide what is legal.
    """
    shown = {("players", game["players"]), ("results", *sorted(set(game["results"])))}
    shown |= {("bug", step.get("tag_bug")) for step in game["steps"]}
    for state, step, _ in steps_of(game):
        words, mine = step["a"].split(), state["bodies"][step["p"]]
        card = words[0]
        shown.add(("played", card))
        if "shuffled" in step:
            shown.add(("shuffled", card == "discard"))
        if card == "discard":
            shown.add((card, step["a"].count(",") + 1))
        elif card in ("medicine", "virus"):
            on = words[-1]
            body = mine if card == "medicine" else state["bodies"][int(words[3])]
            is_wild = f"{card} wild" in body[on]
            is_of_colour = on == words[1] or "wild" in (on, words[1])
            shown.add((card, "colour" if is_of_colour else is_wild))
            shown.add((card, body[on][0]))
        elif card == "thief":
            shown.add((card, state["bodies"][int(words[1])][words[2]][0]))
        elif card == "spreading":
            shown.add((card, words[1] == words[4], words[4] == "wild"))
        elif card == "transplant":
            shown.add((card, mine[words[1]][0]))
            shown.add((card, "for", state["bodies"][int(words[3])][words[4]][0]))
        elif card == "glove":
            shown.add((card, len(state["hands"][int(words[1])])))
        elif card == "error":
            body = state["bodies"][int(words[1])]
            shown |= {(card, held[0]) for held in (*mine.values(), *body.values())}
    return shown
