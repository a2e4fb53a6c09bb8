-- at postgresql:read-committed
-- One who only tries gets nothing that somebody waits for, though that one waits
-- for what it has; one who waits would come first.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session s1: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1; SELECT pg_advisory_xact_lock(1); COMMIT;
--@ session s2: BEGIN; SELECT pg_advisory_xact_lock_shared(1); SELECT pg_try_advisory_xact_lock(1); COMMIT;
