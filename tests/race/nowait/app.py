"""Pays from an account that it locks without waiting (psycopg 3)."""
import psycopg
from psycopg import errors


def pay(db):
    try:
        with db.transaction():
            if db.execute("SELECT n FROM acct WHERE id = 1 FOR UPDATE NOWAIT").fetchone()[0] < 7:
                return "too little"
            db.execute("UPDATE acct SET n = n - 7 WHERE id = 1")
            return "paid"
    except errors.LockNotAvailable:
        return "busy"


if __name__ == "__main__":
    with psycopg.connect(autocommit=True) as db:
        print(pay(db))
