"""Finds the route for a method and path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from connector.sandbox.errors import ServiceError


class HasMethodAndPath(Protocol):
    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...


R = TypeVar("R", bound=HasMethodAndPath)


class MethodNotAllowed(ServiceError):
    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__(405, "Method not allowed.")
        self.allow = ", ".join(sorted(allowed))


class RouteTable(Generic[R]):
    """Looks up plain paths by key and paths with parameters by segments."""

    def __init__(self, routes: Iterable[R]) -> None:
        self._plain: dict[str, dict[str, R]] = {}
        self._templates: dict[tuple[str, ...], dict[str, R]] = {}
        for route in routes:
            segments = tuple(route.path.split("/"))
            methods = (
                self._templates.setdefault(segments, {})
                if any(map(_is_parameter, segments))
                else self._plain.setdefault(route.path, {})
            )
            if route.method in methods:
                raise ValueError(f"{route.method} {route.path} is routed twice")
            methods[route.method] = route

    def find(self, method: str, path: str) -> tuple[R, dict[str, str]]:
        """Return the route and its path parameters, or raise 404 or 405."""
        plain = self._plain.get(path)
        methods, parameters = (plain, {}) if plain is not None else self._match(path)
        if method not in methods:
            raise MethodNotAllowed(methods)
        return methods[method], parameters

    def _match(self, path: str) -> tuple[dict[str, R], dict[str, str]]:
        segments = path.split("/")
        for template, methods in self._templates.items():
            if len(template) != len(segments):
                continue
            parameters: dict[str, str] = {}
            for expected, given in zip(template, segments, strict=True):
                if _is_parameter(expected) and given:
                    parameters[expected[1:-1]] = given
                elif expected != given:
                    break
            else:
                return methods, parameters
        raise ServiceError(404, "Not found.")


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{") and segment.endswith("}")
