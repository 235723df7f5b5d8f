"""Fixtures: Chromium for the test of the built site."""

from chromium import browser as browser
