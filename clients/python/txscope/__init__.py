"""Races of real requests inside a test.

    import txscope

    def test_nobody_oversells():
        txscope.race(buy, buy, db="postgresql:///shop",
                     rule="(SELECT quantity FROM product) >= 0")

Each request is a function without arguments at the top of a module (or a
functools.partial of one), or a command line. It runs in a process of its own
and finds the database as client libraries do: PGHOST, PGPORT, PGDATABASE,
PGUSER, DATABASE_URL. With threads=True a request is anything that can be called
with the address of the database, and runs in a thread of this process. The
program `txscope` does the work; TXSCOPE names it if it is not on the PATH.
"""

import base64
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile

from txscope import _threads

__all__ = ["race", "Found", "RaceFound", "NotDecided", "WrongCall"]


class WrongCall(Exception):
    """The call, a command or the database is wrong: nothing was decided."""


class RaceFound(AssertionError):
    """Some order of the statements ends as no serial order does, breaks a
    rule, or lets an error through; `found` has it all."""

    def __init__(self, found):
        super().__init__(found.text)
        self.found = found


class NotDecided(AssertionError):
    """Not all orders could be run, and none of those that were is wrong."""


class Found:
    """What the search found: `text` for people, `result` as docs/json.md says."""

    def __init__(self, text, report):
        self.text = text
        self.report = report
        self.result = report["results"][0]

    @property
    def verdict(self):
        return self.result["verdict"]

    @property
    def schedules(self):
        return self.result["schedules"]

    @property
    def outcomes(self):
        return self.result["outcomes"]


def race(*requests, db=None, schema=None, rule=None, rules=None, times=1,
         timeout="120s", check=True, threads=False, options=()):
    """Runs the requests in every order of their statements.

    db       a database to begin with; a copy of it is used
    schema   instead: SQL that makes the beginning, on a private server
    rule     a condition in SQL that must be true in the end; rules: by name
    times    each request so often
    check    raise RaceFound or NotDecided; else only return what was found
    threads  requests are called as request(address) in threads of this process;
             lambdas and closures will do, commands will not
    options  more words for the command line of `txscope race`
    """
    named = dict(rules or {})
    if rule is not None:
        named["rule"] = rule
    if db is None and schema is None:
        db = os.environ.get("TXSCOPE_DB")
    if (db is None) == (schema is None):
        raise WrongCall("say either db= or schema=")
    with tempfile.TemporaryDirectory(prefix="txscope-") as place, \
            _threads.Relay(place, requests if threads else ()) as relay:
        commands = relay.commands if threads else [_command(one) for one in requests]
        commands = commands * times
        found = os.path.join(place, "found.json")
        words = [_program(), "race"]
        words += _of_schema(place, schema, commands, named) if db is None else \
            _of_database(db, commands, named)
        words += ["--timeout", timeout, "--format", "text", "--format", "json", "-o", found]
        words += options
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(
            [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))] +
            [path or os.getcwd() for path in sys.path]))
        done = subprocess.run(words, capture_output=True, text=True,
                              env=environment, check=False)
        if done.returncode not in (0, 1, 3) or not os.path.exists(found):
            raise WrongCall(done.stderr.strip() or done.stdout.strip())
        with open(found, encoding="utf-8") as file:
            result = Found(done.stdout, json.load(file))
    if check and done.returncode == 1:
        raise RaceFound(result)
    if check and done.returncode == 3:
        raise NotDecided(result.text)
    return result


def _program():
    program = os.environ.get("TXSCOPE") or shutil.which("txscope")
    if not program:
        raise WrongCall("there is no program txscope: put it on the PATH, or name it by TXSCOPE")
    return program


def _command(request):
    if isinstance(request, str):
        return ["/bin/sh", "-c", request]
    if isinstance(request, (list, tuple)):
        return list(request)
    try:
        text = base64.b64encode(pickle.dumps(request)).decode()
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise WrongCall("a request is a function at the top of a module, a "
                        f"functools.partial of one, or a command: {error}") from error
    return [sys.executable, "-m", "txscope", text]


def _of_schema(place, schema, commands, rules):
    with open(os.path.join(place, "schema.sql"), "w", encoding="utf-8") as file:
        file.write(schema)
    case = os.path.join(place, "case.json")
    with open(case, "w", encoding="utf-8") as file:
        json.dump({"requests": commands, "rules": rules}, file)
    return [case]


def _of_database(db, commands, rules):
    words = ["--db", db]
    for command in commands:
        words += ["--request", " ".join(_quoted(word) for word in command)]
    for name, condition in rules.items():
        words += ["--rule", f"{name}: {condition}"]
    return words


def _quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"
