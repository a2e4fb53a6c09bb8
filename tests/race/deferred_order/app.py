"""Swaps the positions of two items; UNIQUE is looked at by COMMIT (psycopg 3)."""
import sys
import psycopg


def swap(db, a, b):
    with db.transaction():
        first, second = (db.execute("SELECT pos FROM item WHERE id = %s", (i,)).fetchone()[0] for i in (a, b))
        db.execute("UPDATE item SET pos = %s WHERE id = %s", (second, a))
        db.execute("UPDATE item SET pos = %s WHERE id = %s", (first, b))
    return "swapped"


if __name__ == "__main__":
    with psycopg.connect(autocommit=True) as db:
        print(swap(db, int(sys.argv[1]), int(sys.argv[2])))
