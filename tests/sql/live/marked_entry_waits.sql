-- at mariadb
-- A change that waits for another row's key has marked its old entry already.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL UNIQUE);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; INSERT INTO t SELECT id + 2, n + 1 FROM t WHERE n >= 20; INSERT INTO t VALUES (3, 20); COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = n + 1 WHERE id = 2; COMMIT;
