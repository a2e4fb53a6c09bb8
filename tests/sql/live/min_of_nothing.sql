-- at mariadb
-- A subquery that a column of an index is compared with is read first; if its
-- value is NULL no row is looked at.
CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE, CHECK (n < 40));
INSERT INTO t VALUES (1, 10), (2, NULL), (3, 30);
--@ session s1: BEGIN; DELETE FROM t WHERE n = 30; UPDATE t SET n = (SELECT max(n) FROM t) WHERE id = 4; COMMIT;
--@ session s2: BEGIN; DELETE FROM t WHERE n = (SELECT min(n) FROM t WHERE n < 10); COMMIT;
--@ session s3: BEGIN; INSERT INTO t VALUES (3, 10); COMMIT;
