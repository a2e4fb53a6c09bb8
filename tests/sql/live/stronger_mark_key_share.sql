-- at postgresql
-- As in stronger_mark, for FOR KEY SHARE itself; a lock after the first change
-- counts as well, one for sharing does not.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session a: BEGIN; UPDATE t SET n = 11 WHERE id = 1; SELECT n FROM t WHERE id = 1 FOR UPDATE; UPDATE t SET n = 12 WHERE id = 1; COMMIT;
--@ session b: BEGIN; SELECT n FROM t WHERE id = 2; SELECT n FROM t WHERE id = 1 FOR KEY SHARE; COMMIT;
