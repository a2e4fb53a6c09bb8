-- at mariadb
-- An UPDATE whose SET looks at its own table does so at the first row that it
-- has found, and changes rows when all are found.
CREATE TABLE t (id int, n int, PRIMARY KEY (id, n));
INSERT INTO t VALUES (1, 10), (1, 20), (2, 10);
--@ session s1: BEGIN; UPDATE t SET n = 20 WHERE id = 2; COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = (SELECT max(n) FROM t) WHERE id = 1; COMMIT;
--@ session s3: BEGIN; UPDATE t SET n = 20 WHERE n >= 20; COMMIT;
