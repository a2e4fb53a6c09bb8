-- at postgresql
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; SELECT pg_advisory_xact_lock(7); SELECT n INTO x FROM t WHERE id = 1; UPDATE t SET n = x + 1 WHERE id = 1; COMMIT;
--@ session b: BEGIN; SELECT pg_advisory_xact_lock(7); SELECT n INTO x FROM t WHERE id = 1; UPDATE t SET n = x + 1 WHERE id = 1; COMMIT;
