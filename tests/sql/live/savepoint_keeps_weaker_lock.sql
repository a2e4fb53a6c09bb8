-- at postgresql
-- A lock from before the savepoint stays when the stronger one goes.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; SELECT n FROM t WHERE id = 1 FOR SHARE; SAVEPOINT p; UPDATE t SET n = 11 WHERE id = 1; ROLLBACK TO p; SELECT n FROM t; COMMIT;
--@ session b: BEGIN; SELECT n FROM t WHERE id = 1 FOR SHARE; UPDATE t SET n = 12 WHERE id = 1; COMMIT;
