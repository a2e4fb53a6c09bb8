-- at mariadb
-- What has to be sorted is read by the primary key, though another index has all
-- columns.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL UNIQUE);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; SELECT n FROM t WHERE id = 1 FOR UPDATE; INSERT INTO t VALUES (2, 30); COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = n + 1 WHERE id = 2; SELECT id, n FROM t ORDER BY n, id LIMIT 1 FOR SHARE; COMMIT;
