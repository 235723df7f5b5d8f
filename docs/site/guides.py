"""The guides from installing to the first flow, a page for each platform, from `guides.yaml`."""

from __future__ import annotations

from pathlib import Path

import yaml

from connector.core.messages import LANGUAGES
from connector.export import catalogue
from connector.runtime.requests.catalog import Catalog

FILE = Path(__file__).with_name("guides.yaml")


def guide_pages(catalog: Catalog, lang: str) -> dict[str, str]:
    """Every guide in a language, by the path of its page."""
    assert lang in LANGUAGES
    declared = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    values = {
        "n8n_file": catalogue.file_to_install("n8n"),
        "node_red_file": catalogue.file_to_install("node-red"),
        "zapier_cli": catalogue.install_words("zapier")["cli"],
        "new_transaction": catalog.trigger("new_transaction").title.in_(lang),
    }
    return {f"guides/{name}.md": texts[lang].format(**values) for name, texts in declared.items()}
