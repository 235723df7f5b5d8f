"""Answers whose shape is not shown come out in one shape."""

from __future__ import annotations

import pytest

from actions.ledger import check_permissions, list_document_types

OK = {"status": "ok", "httpStatus": 200}
MISSING = {"status": "permission", "httpStatus": 403}


def test_permissions_by_area_become_rows_that_name_their_area() -> None:
    reply = {"data": {"stammdaten": OK, "kassenbuch": MISSING}}
    assert check_permissions.shape(reply) == {
        "items": [{"area": "stammdaten", **OK}, {"area": "kassenbuch", **MISSING}]
    }


def test_permissions_that_come_as_a_list_keep_their_areas() -> None:
    assert check_permissions.shape([{"bereich": "susa", **OK}]) == {
        "items": [{"area": "susa", "bereich": "susa", **OK}]
    }


def test_an_answer_without_permissions_is_not_read_as_an_empty_one() -> None:
    with pytest.raises(ValueError, match="permission"):
        check_permissions.shape({"data": "ok"})


def test_document_types_come_as_objects_or_as_plain_names() -> None:
    rows = [{"id": "1", "bezeichnung": "Kasse"}, {"bezeichnung": "Bank"}]
    assert list_document_types.shape({"data": [rows[0], "Bank"]}) == {"items": rows}
    assert list_document_types.shape(["Bank"]) == {"items": [rows[1]]}
