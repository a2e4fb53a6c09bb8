-- A statement at READ COMMITTED is not atomic: the subquery reads before the
-- statement waits for the row that it changes.
CREATE TABLE s (id int PRIMARY KEY, b int NOT NULL);
CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL);
INSERT INTO s VALUES (1, 2);
INSERT INTO t VALUES (1, 2);
CREATE PROCEDURE write_both(x int) LANGUAGE plpgsql AS $$ BEGIN
  UPDATE t SET a = 0 WHERE id = 1;
  UPDATE s SET b = x WHERE id = 1;
END $$;
CREATE PROCEDURE copy() LANGUAGE plpgsql AS $$ BEGIN
  UPDATE t SET a = (SELECT b FROM s WHERE id = 1) WHERE id = 1;
END $$;
