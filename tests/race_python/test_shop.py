"""A shop whose tests race its requests: run by tests/unit/race."""

import functools

import psycopg
import pytest

import txscope

SCHEMA = ("CREATE TABLE product (id int PRIMARY KEY, quantity int NOT NULL);"
          "INSERT INTO product VALUES (1, 5)")
RULE = "(SELECT quantity FROM product) >= 0"


def buy(count, lock=""):
    with psycopg.connect("") as connection:
        query = "SELECT quantity FROM product WHERE id = 1" + lock
        if connection.execute(query).fetchone()[0] < count:
            return "refused"
        connection.execute("UPDATE product SET quantity = quantity - %s WHERE id = 1", (count,))
        return "ok"


three = functools.partial(buy, 3)
three_locked = functools.partial(buy, 3, " FOR UPDATE")


def test_two_buyers_oversell():
    with pytest.raises(txscope.RaceFound, match="no serial order has this outcome") as raised:
        txscope.race(three, three, schema=SCHEMA, rules={"stock": RULE})
    found = raised.value.found
    assert found.result["broken_rules"] == ["stock"]
    assert {"ok", "refused"} == {text for one in found.outcomes for text, _ in one["results"]}


def test_a_lock_repairs_it(race):
    found = race(three_locked, three_locked, schema=SCHEMA, rule=RULE)
    assert found.verdict == "holds"
    assert len(found.outcomes) == 2


def test_a_lambda_is_no_request():
    with pytest.raises(txscope.WrongCall, match="function at the top of a module"):
        txscope.race(lambda: 1, lambda: 2, schema=SCHEMA)


def test_a_wrong_rule_is_a_wrong_call():
    with pytest.raises(txscope.WrongCall, match="no_such_table"):
        txscope.race(three, three, schema=SCHEMA, rule="(SELECT true FROM no_such_table)")


def test_closures_race_in_threads():
    bought = []

    def buy_here(address):
        with psycopg.connect(address) as connection:
            query = "SELECT quantity FROM product WHERE id = 1"
            if connection.execute(query).fetchone()[0] < 3:
                return "refused"
            connection.execute("UPDATE product SET quantity = quantity - 3 WHERE id = 1")
        bought.append(1)
        return "ok"

    with pytest.raises(txscope.RaceFound) as raised:
        txscope.race(buy_here, buy_here, schema=SCHEMA, rule=RULE, threads=True,
                     options=["--no-repairs"])
    assert raised.value.found.result["broken_rules"] == ["rule"]
    assert len(bought) > 2  # in this process


def test_a_thread_that_raises_ends_as_a_command_that_fails():
    def twice(address):
        with psycopg.connect(address) as connection:
            connection.execute("INSERT INTO product VALUES (2, 1)")
            connection.execute("SELECT 1")

    with pytest.raises(txscope.RaceFound, match="23505"):
        txscope.race(twice, twice, schema=SCHEMA, threads=True,
                     options=["--no-repairs"])
