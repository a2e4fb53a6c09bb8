-- at postgresql
-- Who asks later waits behind who waits.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; SELECT n FROM t; UPDATE t SET n = 11 WHERE id = 1; COMMIT;
--@ session b: BEGIN; LOCK t; UPDATE t SET n = n + 10 WHERE id = 1; COMMIT;
--@ session c: BEGIN; SELECT n FROM t WHERE id = 1; COMMIT;
