-- at postgresql
-- COMMIT looks whether the parent is there, waits for who deletes it, and fails.
CREATE TABLE t (id int PRIMARY KEY);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO t VALUES (1), (2);
--@ session s1: BEGIN; INSERT INTO c VALUES (1, 1), (2, 3); UPDATE c SET t = 2 WHERE id = 2; COMMIT;
--@ session s2: BEGIN; DELETE FROM t WHERE id = 1; SELECT count(*) FROM c; COMMIT;
