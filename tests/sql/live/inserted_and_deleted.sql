-- at postgresql
-- A row that its own transaction has deleted again still stands in the way.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session s1: BEGIN; INSERT INTO t VALUES (2, 20); DELETE FROM t WHERE id = 2; UPDATE t SET n = 11 WHERE id = 1; COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = 12 WHERE id = 1; INSERT INTO t VALUES (2, 30); COMMIT;
