"""Write the pages of options in docs, and a table of docs/agents.md.

They are made from the code by `python docs/make_options.py`; a test asserts that all of
them are up to date.
"""

from dataclasses import fields
from pathlib import Path

from mcts_agents.agents.presets import PRESETS, Preset
from mcts_agents.minimax import MinimaxSettings
from mcts_agents.permutation import PermutationSettings
from mcts_agents.search import SearchSettings
from mcts_agents.search.options.applicability import needed
from mcts_agents.search.options.families import FamilySettings
from mcts_agents.search.options.option import option_of

DOCS = Path(__file__).parent
SEARCH = "../mcts_agents/search"
BEGIN, END = "<!-- presets: made by make_options.py -->", "<!-- end of presets -->"

HEAD = """# Options of `mcts`

Made by `python docs/make_options.py` from `mcts_agents/search/options/settings.py`. As
keywords of `MCTSAgent`, in specs (`mcts:tree=multi,simulations=1000`) and in files they
are the same. How the algorithms work: [algorithms](algorithms/README.md).

In Python, `help(MCTSAgent)` lists the options, and editors and type checkers know
them: mypy and pyright report `simulatons=100` and `tree="multii"`. Type checkers do not
find an editable install of the checkout, because its folders are mapped into the
package; install it with `pip install .` for them.

An option that has no effect beside the others ("only with") or that a game cannot serve
is refused, with what it takes. What an option's `_check` refuses is not in "only with";
see its file.

`none` as a default leaves the choice to the game, or switches off what the option is
about. In Python, `none` is None, except where `none` stands among the words.

*TAG* is the name in [TAG's JSON files](tag_json.md), whose defaults differ in part.
*File* is the one that does it, and says at its beginning what else has a part in it.
"""

MINIMAX_HEAD = """# Options of the minimax family

Made by `python docs/make_options.py` from `mcts_agents/minimax/settings.py`. The agents
are `alphabeta`, `negascout`, `expectiminimax`, `max-n`, `paranoid-alphabeta`, `brs`,
`brs-plus` and `opps`; [the page of the algorithms](algorithms/minimax.md) says what
each does. As keywords of their classes (`AlphaBetaAgent(depth=4)`, in
`mcts_agents.agents`), in specs (`alphabeta:depth=4`) and in files the options are the
same.

An agent refuses options that its algorithm does not have, and what a game cannot serve.
`none` as a default leaves the choice to the game, or means that there is no limit.
"""


PERMUTATION_HEAD = """# Options of RAVE, GRAVE and MCPS

Made by `python docs/make_options.py` from `mcts_agents/permutation/settings.py`. The
agents are `rave`, `grave` and `mcps`; [the page of the
algorithms](algorithms/permutation_search.md) says what each does. As keywords of their
classes (`MCPSAgent(simulations=5000)`, in `mcts_agents.agents`), in specs
(`grave:ref=100`) and in files the options are the same.

An agent refuses options that its algorithm does not have, and what a game cannot serve.
`none` as a default means that there is no limit, or leaves the choice to the game.
"""


def options_page() -> str:
    """Return docs/options.md."""
    groups: dict[str, list[str]] = {}
    for field in fields(SearchSettings):
        option = option_of(field)
        only = "; ".join(text for _, text in needed(field.name))
        meaning = option.text + (f" *{option.source}.*" if option.source else "")
        cells = [
            f"`{field.name}`",
            f"`{written(field.default)}`",
            option.allowed,
            meaning,
            only,
            f"`{option.tag}`" if option.tag else "",
            f"[{Path(option.file).name}]({SEARCH}/{option.file})",
        ]
        groups.setdefault(option.group, []).append(row(cells))
    parts = [HEAD]
    for group, rows in groups.items():
        parts.append(f"## {group}\n\n" + "\n".join([*header(), *rows]) + "\n")
    parts.append(
        "## Besides\n\n`seed`: an integer from 0, or none for one of the system's. Of "
        "agents inside agents it has no effect: their generators start anew from the "
        "search's at each decision.\n"
    )
    return "\n".join(parts)


def family_tables(settings: type[FamilySettings]) -> list[str]:
    """Return the tables of the options of a family of agents."""
    names = ["option", "default", "allowed", "meaning", "only in"]
    head = [row(names), "|" + "---|" * len(names)]
    algorithms = settings.algorithms
    groups: dict[str, list[str]] = {}
    for field in fields(settings):
        if field.name == "algorithm":
            continue
        option = option_of(field)
        having = [n for n in algorithms if field.name in settings.options_of(n)]
        everywhere = len(having) == len(algorithms)
        cells = [
            f"`{field.name}`",
            f"`{written(field.default)}`",
            option.allowed,
            option.text + (f" *{option.source}.*" if option.source else ""),
            "" if everywhere else ", ".join(f"`{n}`" for n in having),
        ]
        groups.setdefault(option.group, []).append(row(cells))
    return [
        f"## {group}\n\n" + "\n".join([*head, *rows]) + "\n"
        for group, rows in groups.items()
    ]


def minimax_page() -> str:
    """Return docs/minimax_options.md."""
    parts = [MINIMAX_HEAD, *family_tables(MinimaxSettings)]
    parts.append(
        "## Besides\n\n`seed`: an integer from 0, or none for one of the system's. It "
        "matters only where outcomes of chance are sampled.\n"
    )
    return "\n".join(parts)


def permutation_page() -> str:
    """Return docs/permutation_options.md."""
    parts = [PERMUTATION_HEAD, *family_tables(PermutationSettings)]
    parts.append(
        "## Besides\n\n`seed`: an integer from 0, or none for one of the system's.\n"
    )
    return "\n".join(parts)


def header() -> list[str]:
    """Return the head of a table of options."""
    names = ["option", "default", "allowed", "meaning", "only with", "TAG", "file"]
    return [row(names), "|" + "---|" * len(names)]


def row(cells: list[str]) -> str:
    """Return one line of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def written(value: object) -> str:
    """Return a value as a spec has it."""
    return str(value).lower() if value is None or value in (True, False) else str(value)


def preset_table() -> str:
    """Return the table of presets in docs/agents.md."""
    names = [
        "preset",
        "what it is",
        "options",
        "the game must have",
        "copies",
        "source",
    ]
    rows = [row(names), "|" + "---|" * len(names)]
    for name, preset in PRESETS.items():
        options = ", ".join(f"{k}={number(v)}" for k, v in preset.options.items())
        if preset.agent != "mcts":
            options = f"{preset.agent}:{options}"
        cells = [
            f"`{name}`",
            preset.about,
            f"`{options}`" if options else "",
            needs_text(preset),
            "yes" if preset.copies else "no",
            preset.source,
        ]
        rows.append(row(cells))
    return "\n".join(rows)


def number(value: object) -> str:
    """Return a value, floats with four digits."""
    return f"{value:.4g}" if isinstance(value, float) else written(value)


def needs_text(preset: Preset) -> str:
    """Say what a game must bring."""
    words = [f"`{name}`" for name in preset.functions]
    words += [f"`{name}` if anything is hidden" for name in preset.functions_if_hidden]
    words += [f"`{name}` for 3 players or more" for name in preset.functions_for_many]
    if not preset.chance:
        words.append("no chance")
    if preset.hidden:
        words.append("hidden information")
    return ", ".join(words)


def agents_page(text: str) -> str:
    """Return docs/agents.md with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{preset_table()}\n{END}{after}"


def main() -> None:
    """Write all files."""
    (DOCS / "options.md").write_text(options_page(), encoding="utf-8")
    (DOCS / "minimax_options.md").write_text(minimax_page(), encoding="utf-8")
    page = DOCS / "permutation_options.md"
    page.write_text(permutation_page(), encoding="utf-8")
    page = DOCS / "agents.md"
    text = agents_page(page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
