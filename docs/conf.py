"""Sphinx builds the documentation site from the pages in this folder: `make docs`.

The pages read well on GitHub, too. A few pages of the site are files elsewhere in the
repository, such as CHANGELOG.md. On GitHub these pages are stubs with a link.
"""

import os
import posixpath
import re
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx

import mcts_agents

ROOT = Path(__file__).resolve().parents[1]

project = "mcts-agents"
author = "The mcts-agents authors"
project_copyright = author
version = release = mcts_agents.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
root_doc = "index"
exclude_patterns = ["_build", "jupyter_execute"]
nitpicky = False

html_theme = "furo"
html_title = f"mcts-agents {version}"
html_static_path: list[str] = []

# Links to headings are checked by the names that GitHub gives these, on all pages.
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]

# Tutorials are text without outputs. Each build executes all that have changed.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 600  # the first build compiles the games and the searches
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
if find_spec("sb3_contrib") is None:  # the extra `rl` is large: the page says so
    nb_execution_excludepatterns = ["tutorials/stable_baselines3.md"]
os.environ.setdefault("COLUMNS", "80")

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
# Networks are described without PyTorch, too.
autodoc_mock_imports = [
    name
    for name in ("torch", "onnxscript", "safetensors", "pyspiel", "ray")
    if find_spec(name) is None
]
default_role = "code"  # docstrings mark names by single backticks
napoleon_google_docstring = True
napoleon_numpy_docstring = False

# Pages of the site, and the files in the repository that they show.
SHOWN = {
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "experiments": "experiments/README.md",
    "league_results": "experiments/league/results.md",
    "multitree_results": "experiments/multitree/results.md",
    "security": "SECURITY.md",
}
PAGE_OF = {path: f"docs/{page}.md" for page, path in SHOWN.items()}
PAGE_OF["README.md"] = "docs/index.md"
LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
# Pages whose lists of links, by heading, become the menu.
MENUS = {"index", "algorithms/README", "api/README", "games/README"}
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
ITEM = re.compile(r"^- \[([^\]]*)\]\(([^)#]+\.md)\)", re.MULTILINE)


def show_file(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the file that a page shows in its place, and lead links to pages."""
    path = SHOWN.get(page, f"docs/{page}.md")
    if page in SHOWN:
        app.env.note_dependency(str(ROOT / path))
        source[0] = (ROOT / path).read_text(encoding="utf-8")
    here = posixpath.dirname(f"docs/{page}")

    def from_page(link: re.Match[str]) -> str:
        text, target, heading = link[1], link[2], link[3] or ""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if (ROOT / target).is_dir():  # a list of files: only GitHub has these
            return text
        target = posixpath.relpath(PAGE_OF.get(target, target), here)
        return f"[{text}]({target}{heading})"

    source[0] = LINK.sub(from_page, source[0])
    if page in MENUS:
        source[0] += menu(source[0])


def menu(text: str) -> str:
    """Return hidden tables of contents of the links in each section of a page."""
    before, *sections = HEADING.split(text)
    made = ""
    for caption, body in [
        ("", before),
        *zip(sections[::2], sections[1::2], strict=True),
    ]:
        pages = [
            f"{text.replace('`', '')} <{page}>" for text, page in ITEM.findall(body)
        ]
        if pages:
            named = [f":caption: {caption}"] if caption else []
            lines = ["", "```{toctree}", ":hidden:", *named, "", *pages]
            made += "\n".join([*lines, "```", ""])
    return made


def escape_stars(
    app: Sphinx, what: str, name: str, item: object, options: object, lines: list[str]
) -> None:
    """Let shapes such as (rows, *shape) be no beginning of emphasis."""
    for number, line in enumerate(lines):
        parts = re.split(r"(`[^`]*`)", line)
        parts[::2] = [re.sub(r"(?<=[ (])\*(?=\w)", r"\\*", part) for part in parts[::2]]
        lines[number] = "".join(parts)


def setup(app: Sphinx) -> None:
    """Connect the above to Sphinx."""
    app.connect("source-read", show_file)
    app.connect("autodoc-process-docstring", escape_stars)
