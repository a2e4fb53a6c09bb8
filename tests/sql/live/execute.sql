-- at postgresql
-- A statement that EXECUTE makes waits and looks again as any other does.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
CREATE PROCEDURE move(a int, b int, v int) LANGUAGE plpgsql AS $$
DECLARE r int;
BEGIN
  EXECUTE format('UPDATE %I SET n = n - %s WHERE id = $1 AND n >= $2 RETURNING n', 't', v)
    INTO r USING a, v;
  IF r IS NOT NULL THEN
    EXECUTE 'UPDATE t SET n = n + ' || v || ' WHERE id = ' || b;
  END IF;
END $$;
--@ session a: CALL move(1, 2, 7);
--@ session b: CALL move(1, 2, 6);
--@ session c: BEGIN; UPDATE t SET n = n + 1 WHERE id = 2; COMMIT;
