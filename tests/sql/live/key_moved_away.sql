-- So does a key that was taken and given up.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; UPDATE t SET id = 3 WHERE id = 1; UPDATE t SET id = 4 WHERE id = 3; SELECT n FROM t WHERE id = 2 FOR UPDATE; COMMIT;
--@ session s2: BEGIN; SELECT n FROM t WHERE id = 2 FOR UPDATE; INSERT INTO t VALUES (3, 30); COMMIT;
