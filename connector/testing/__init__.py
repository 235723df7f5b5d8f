"""For those who test flows that use Kontor: the sandbox on a socket, and a service that answers from the samples.

`pip install 'kontor-connector[sandbox]' pytest` brings the fixtures `kontor_sandbox` and `kontor_service` to pytest.
"""

from __future__ import annotations

from connector.core import lazy_names

TYPE_CHECKING = False  # as in `typing`, without its import
if TYPE_CHECKING:
    from connector.testing.canned import CannedService
    from connector.testing.sandbox import Sandbox

__all__ = ["CannedService", "Sandbox"]

__getattr__ = lazy_names(
    __name__,
    {"CannedService": "connector.testing.canned", "Sandbox": "connector.testing.sandbox"},
)
