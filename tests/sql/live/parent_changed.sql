-- at mariadb
-- A foreign key meets a parent that was changed or deleted after the snapshot.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id));
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; UPDATE t SET n = 11 WHERE id = 1; COMMIT; BEGIN; DELETE FROM t WHERE id = 2; COMMIT;
--@ session s2: BEGIN; SELECT n FROM t WHERE id = 2; INSERT INTO c VALUES (1, 1); INSERT INTO c VALUES (2, 2); COMMIT;
