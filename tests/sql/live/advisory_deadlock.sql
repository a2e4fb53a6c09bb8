-- at postgresql
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; SELECT pg_advisory_xact_lock(1); UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;
--@ session b: BEGIN; UPDATE t SET n = n + 10 WHERE id = 1; SELECT pg_advisory_xact_lock(1); COMMIT;
