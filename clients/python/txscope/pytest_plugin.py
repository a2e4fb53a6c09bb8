"""The fixture `race`: txscope.race with the database of the tests."""

import functools
import os

import pytest

import txscope


@pytest.fixture
def race():
    """txscope.race; the database is TXSCOPE_DB or DATABASE_URL unless a test
    says db= or schema=."""
    url = os.environ.get("TXSCOPE_DB") or os.environ.get("DATABASE_URL")

    @functools.wraps(txscope.race)
    def call(*requests, **options):
        if "db" not in options and "schema" not in options:
            options["db"] = url
        return txscope.race(*requests, **options)

    return call
