-- The same where the second index is the one to wait at.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL UNIQUE);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; INSERT INTO t VALUES (3, 20); COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = 30 WHERE id = 2; UPDATE t SET n = 20; COMMIT;
