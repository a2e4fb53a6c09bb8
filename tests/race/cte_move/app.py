"""Moves all mails from the inbox to the archive by one statement (psycopg2)."""
import sys
import psycopg2


def move(db, who):
    with db, db.cursor() as cur:
        cur.execute("SELECT count(*) FROM inbox")
        seen = cur.fetchone()[0]
        cur.execute("WITH m AS (DELETE FROM inbox RETURNING id, t) INSERT INTO archive SELECT id, t, %s FROM m", (who,))
        return f"{seen} {cur.rowcount}"


if __name__ == "__main__":
    db = psycopg2.connect("")
    print(move(db, sys.argv[1]))
    db.close()
