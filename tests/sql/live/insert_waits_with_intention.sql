-- at mariadb:serializable
-- An INSERT that waits for a gap holds its lock on the table already, which
-- counts when a victim is chosen.
CREATE TABLE t (id int, n int, PRIMARY KEY (id, n));
INSERT INTO t VALUES (1, 10), (1, 20), (2, 10);
--@ session s1: BEGIN; INSERT INTO t SELECT id + 2, n + 1 FROM t WHERE n < 30; COMMIT;
--@ session s2: BEGIN; SELECT count(*), sum(n) FROM t WHERE n >= 10; UPDATE t SET n = n + 1; COMMIT;
