-- Who waits for a row at READ COMMITTED follows its versions, not its key: the
-- row that the other deletes is gone, and the new one with its key is not seen.
CREATE TABLE u (id int PRIMARY KEY, k int UNIQUE);
INSERT INTO u VALUES (1, 2);
CREATE PROCEDURE put(x int) LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM u WHERE id = 1;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO u VALUES (1, x);
END $$;
