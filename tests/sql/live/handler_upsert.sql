-- at postgresql, mariadb
-- The upsert of the manual, once round its loop.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; BEGIN INSERT INTO t VALUES (2, 1); EXCEPTION WHEN unique_violation THEN UPDATE t SET n = n + 1 WHERE id = 2; END; COMMIT;
--@ session b: BEGIN; BEGIN INSERT INTO t VALUES (2, 5); EXCEPTION WHEN unique_violation THEN UPDATE t SET n = n + 5 WHERE id = 2; END; COMMIT;
