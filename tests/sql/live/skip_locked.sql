-- A queue: each takes the first row that nobody has.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 0), (2, 0), (3, 0);
--@ session a: BEGIN; SELECT id INTO x FROM t WHERE n = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; UPDATE t SET n = 1 WHERE id = x; COMMIT;
--@ session b: BEGIN; SELECT id INTO x FROM t WHERE n = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; UPDATE t SET n = 2 WHERE id = x; COMMIT;
