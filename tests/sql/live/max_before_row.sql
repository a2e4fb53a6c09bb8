-- at mariadb
-- max() of an index in SET is read before the row is locked, downwards from the
-- end; where no gaps are locked one who waits there goes on from there.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL UNIQUE);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; UPDATE t SET n = n + 10 WHERE id > 1; UPDATE t SET n = n + 1 WHERE id = 2; COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = (SELECT max(n) FROM t) WHERE id = 2; COMMIT;
