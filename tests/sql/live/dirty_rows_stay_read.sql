-- at mariadb:read-uncommitted
-- INSERT ... SELECT that waits goes on with the rows that it has read.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; UPDATE t SET n = n + 10 WHERE id = 1; INSERT INTO t SELECT id + 2, n + 1 FROM t; COMMIT;
--@ session s2: BEGIN; INSERT INTO t SELECT id + 2, n + 1 FROM t WHERE id > 1; DELETE FROM t WHERE n < 10; COMMIT;
