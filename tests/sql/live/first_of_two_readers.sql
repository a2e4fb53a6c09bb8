-- at mariadb:serializable
-- Who waits behind two readers waits for the first; the cycle with the other
-- comes to light when the first is gone.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20), (4, 10);
--@ session s1: BEGIN; SELECT id, n FROM t WHERE n >= 20 ORDER BY n, id LIMIT 1 FOR SHARE; COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = n + 1 WHERE id = 3; SELECT id, n FROM t; COMMIT;
--@ session s3: BEGIN; UPDATE t SET n = 20 WHERE id = 4; DELETE FROM t WHERE n = (SELECT min(n) FROM t WHERE n < 30); COMMIT;
