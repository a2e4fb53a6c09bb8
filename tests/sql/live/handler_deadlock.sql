-- at postgresql
-- The victim of a deadlock gives back what its block has locked, and goes on.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session a: BEGIN; BEGIN UPDATE t SET n = n + 1 WHERE id = 1; UPDATE t SET n = n + 1 WHERE id = 2; EXCEPTION WHEN deadlock_detected THEN SELECT n FROM t WHERE id = 1; END; COMMIT;
--@ session b: BEGIN; UPDATE t SET n = n + 10 WHERE id = 2; UPDATE t SET n = n + 10 WHERE id = 1; COMMIT;
