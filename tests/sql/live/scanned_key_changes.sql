-- at mariadb
-- An UPDATE that changes the key by which it scans has written nothing while it
-- still waits for rows: it is the lighter one in a deadlock.
CREATE TABLE t (id int, n int, PRIMARY KEY (id, n));
INSERT INTO t VALUES (1, 10), (1, 20), (2, 10);
--@ session s1: BEGIN; DELETE FROM t WHERE id = 2; DELETE FROM t WHERE n = 30; COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = n + 1 WHERE n >= 20; COMMIT;
