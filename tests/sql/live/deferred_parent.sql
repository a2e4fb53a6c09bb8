-- at postgresql
-- COMMIT looks for children of rows that went, and in sub-transactions that failed for none.
CREATE TABLE t (id int PRIMARY KEY, n int);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO t VALUES (1, 0), (2, 0);
INSERT INTO c VALUES (1, 1);
--@ session s1: BEGIN; DELETE FROM t WHERE id = 1; SAVEPOINT p; INSERT INTO c VALUES (7, 7); ROLLBACK TO p; INSERT INTO t VALUES (1, 1); COMMIT;
--@ session s2: BEGIN; UPDATE c SET t = 2 WHERE id = 1; DELETE FROM t WHERE id = 1; COMMIT;
