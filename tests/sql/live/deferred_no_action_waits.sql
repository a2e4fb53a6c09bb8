-- at postgresql
-- COMMIT for a row that went waits for who deletes its child.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO c VALUES (1, 2);
--@ session s1: BEGIN; DELETE FROM c WHERE id = 1; COMMIT;
--@ session s2: BEGIN; DELETE FROM t WHERE id = 2; COMMIT;
