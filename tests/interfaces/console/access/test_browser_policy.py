"""A page runs its own scripts and nothing that is smuggled into it."""

from __future__ import annotations

from tests.interfaces.console.visitor import Visitor

SMUGGLED = """() => {
  const place = document.createElement('div');
  place.innerHTML = '<img src="data:," onerror="smuggled = 1"><a id="lure" href="javascript:smuggled=1">x</a>'
  document.body.append(place);
  const script = document.createElement('script');
  script.textContent = 'window.smuggled = true';
  document.body.append(script);
  document.getElementById('lure').click();
  return new Promise((done) => setTimeout(() => done(window.smuggled === undefined), 300));
}"""


def test_text_that_is_smuggled_into_a_page_is_no_script(visitor: Visitor) -> None:
    visitor.open("actions/list_bank_accounts")
    assert not visitor.complaints, "its own scripts run"
    assert visitor.page.evaluate(SMUGGLED)
    assert len(visitor.complaints) == 3
    assert all("Content Security Policy" in complaint for complaint in visitor.complaints)
    visitor.complaints.clear()
