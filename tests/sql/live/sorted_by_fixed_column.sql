-- at mariadb
-- A column that WHERE fixes is not sorted by: the first row by key ends the scan.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; SELECT id, n FROM t WHERE n = 10 ORDER BY n, id LIMIT 1 FOR SHARE; DELETE FROM t WHERE n = (SELECT min(n) FROM t WHERE n >= 30); COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = 30 WHERE id = 2; COMMIT;
