"""Closes a room, or lets a guest in whom a CHECK of the table allows (psycopg 3)."""
import sys
import psycopg
from psycopg import errors


def close(db):
    with db.transaction():
        db.execute("UPDATE room SET seats = 0 WHERE id = 1")
    return "closed"


def enter(db, guest):
    try:
        with db.transaction():
            db.execute("INSERT INTO guest VALUES (%s, 1)", (guest,))
        return "in"
    except errors.CheckViolation:
        return "full"


if __name__ == "__main__":
    with psycopg.connect(autocommit=True) as db:
        print(close(db) if sys.argv[1] == "close" else enter(db, int(sys.argv[2])))
