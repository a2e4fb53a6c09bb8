-- at postgresql
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; IF pg_try_advisory_xact_lock(1, 2) THEN UPDATE t SET n = n + 1 WHERE id = 1; END IF; COMMIT;
--@ session b: BEGIN; SAVEPOINT p; PERFORM pg_advisory_xact_lock_shared(1, 2); ROLLBACK TO p; UPDATE t SET n = n + 10 WHERE id = 1; COMMIT;
