-- at mariadb
-- A savepoint before the first statement: going back to it gives the locks back.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; BEGIN INSERT INTO t VALUES (1, 1); EXCEPTION WHEN unique_violation THEN UPDATE t SET n = n + 1 WHERE id = 1; END; COMMIT;
--@ session b: BEGIN; BEGIN INSERT INTO t VALUES (1, 5); EXCEPTION WHEN unique_violation THEN UPDATE t SET n = n + 5 WHERE id = 1; END; COMMIT;
