-- An UPDATE looks whether another row has the value of a unique key.  The proof
-- of robustness once read only the text of the statement, and said robust.
CREATE TABLE flag (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO flag VALUES (1, 0);
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL UNIQUE);
INSERT INTO users VALUES (1, 'a'), (2, 'b');
CREATE PROCEDURE mark(n int) LANGUAGE plpgsql AS $$
BEGIN UPDATE flag SET v = n WHERE id = 1; END $$;
CREATE PROCEDURE pivot(e text) LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN
  SELECT v INTO x FROM flag WHERE id = 1;
  IF x = 0 THEN UPDATE users SET email = e WHERE id = 2; END IF;
END $$;
CREATE PROCEDURE rename(e text) LANGUAGE plpgsql AS $$
BEGIN UPDATE users SET email = e WHERE id = 1; END $$;
--@ session p: CALL pivot('c');
--@ session q: CALL mark(1); CALL rename('b');
