-- A range of an index does not begin with its NULLs.
CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE);
INSERT INTO t VALUES (1, 10), (2, NULL), (3, 30);
--@ session s1: BEGIN; UPDATE t SET n = n + 1 WHERE n < 30; COMMIT;
--@ session s2: BEGIN; SELECT id, n FROM t WHERE n >= 10 FOR UPDATE; COMMIT;
