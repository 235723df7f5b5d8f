"""What a text input must be, and what people get told when it is not."""

import pytest

from connector.core.manifest.library import Library
from connector.core.manifest.load import library
from connector.core.messages import sentences
from connector.core.problems import Problem
from connector.core.values import currencies

FORMATS = Library(library()).formats

RIGHT = [
    ("uuid", "0b54a7c2-5a0e-4e0b-9d8e-3f6f3c1d2a90", "0b54a7c2-5a0e-4e0b-9d8e-3f6f3c1d2a90"),
    ("iban", "de89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    ("iban", "GB82WEST12345698765432", "GB82WEST12345698765432"),
    ("bic", "cobadeffxxx", "COBADEFFXXX"),
    ("vat_id", "DE 136 695 976", "DE136695976"),
    ("vat_id", "ATU12345678", "ATU12345678"),
    ("currency", "eur", "EUR"),
    ("email", "buchhaltung@muster.example", "buchhaltung@muster.example"),
    ("country", "de", "DE"),
    ("client", "29098-10001", "29098-10001"),
    ("cursor", "90071992547409931234567890", "90071992547409931234567890"),
    ("account_number", "100100042", "100100042"),
    ("api_path", "/v2/banking/accounts", "/v2/banking/accounts"),
    ("public_https_url", "https://hooks.example.com:8443/a?b=c", "https://hooks.example.com:8443/a?b=c"),
    ("public_https_url", "https://8.8.8.8/hook", "https://8.8.8.8/hook"),
    ("public_https_url", "https://[2606:4700::1111]/hook", "https://[2606:4700::1111]/hook"),
]

WRONG = [
    ("uuid", "0b54a7c2"),
    ("iban", "DE89370400440532013001"),
    ("iban", "DE8937040044053201300"),
    ("iban", "XX00"),
    ("iban", "😀"),
    ("bic", "COBA"),
    ("vat_id", "DE136695975"),
    ("vat_id", "DE036695976"),
    ("vat_id", "DE12"),
    ("vat_id", "7"),
    ("currency", "EURO"),
    ("currency", "XYZ"),
    ("email", "kein@punkt"),
    ("email", "zwei@@muster.example"),
    ("country", "DEU"),
    ("client", "29098/10001"),
    ("cursor", "12a"),
    ("cursor", "-1"),
    ("account_number", "K100"),
    ("api_path", "https://evil.example/v2/"),
    ("api_path", "//evil.example/v2/x"),
    ("api_path", "/v2/../admin"),
    ("api_path", "/v2/a/./b"),
    ("api_path", "/v2/a?b=c"),
    ("api_path", "/v2/a#b"),
    ("api_path", "/v2/a%2f..%2fb"),
    ("api_path", "/v2\\a"),
    ("api_path", "/v1/a"),
]

NOT_PUBLIC = [
    "http://hooks.example.com/a",
    "ftp://hooks.example.com/a",
    "https://localhost/a",
    "https://localhost./a",
    "https://hook/a",
    "https://printer.local/a",
    "https://api.internal/a",
    "https://127.0.0.1/a",
    "https://127.1/a",
    "https://2130706433/a",
    "https://0x7f000001/a",
    "https://0177.0.0.1/a",
    "https://10.0.0.8/a",
    "https://172.16.3.4/a",
    "https://192.168.1.1/a",
    "https://169.254.169.254/latest",
    "https://100.64.0.1/a",
    "https://0.0.0.0/a",
    "https://224.0.0.1/a",
    "https://[::1]/a",
    "https://[::]/a",
    "https://[fe80::1]/a",
    "https://[fc00::1]/a",
    "https://[::ffff:10.0.0.1]/a",
    "https://[64:ff9b::7f00:1]/a",
    "https://[2002:7f00:1::]/a",
    "https://user:pw@hooks.example.com/a",
    "https://１２７.0.0.1/a",
    "https://hooks.example.com\\@127.0.0.1/a",
    "https://hooks.example.com/a b",
    "https:///a",
    "https://[::1/a",
    "https://hooks.example.com:99999/a",
]


@pytest.mark.parametrize(("format", "text", "tidy"), RIGHT)
def test_what_is_right_is_taken_and_tidied(format, text, tidy):
    assert FORMATS[format](text) == tidy


@pytest.mark.parametrize(("format", "text"), [*WRONG, *(("public_https_url", url) for url in NOT_PUBLIC)])
def test_what_is_wrong_is_named_by_a_message(format, text):
    with pytest.raises(Problem) as caught:
        FORMATS[format](text)
    assert caught.value.name in sentences()


def test_minor_units_follow_iso_4217():
    assert [currencies.decimals(code) for code in ("EUR", "JPY", "KWD", "CLF")] == [2, 0, 3, 4]
