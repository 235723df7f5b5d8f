"""Sphinx's settings for the site; the language comes from the command line."""

from __future__ import annotations

from pathlib import Path

from connector.version import __version__

THEME = Path(__file__).with_name("theme")

project = "Kontor"
version = release = __version__
copyright = "Kontor"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # samples of documents are not always whole programs
templates_path = [str(THEME)]
smartquotes = False  # `--key` is an option, not a dash
html_theme = "furo"
html_static_path = [str(THEME / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_search_summary = False  # it fetches pages, which a browser does not do from files
html_permalinks_icon = "#"
html_domain_indices = False
html_use_index = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
