-- at postgresql
-- A row that goes waits for who gives its child another key.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id));
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO c VALUES (1, 2);
--@ session s1: BEGIN; UPDATE c SET id = 3 WHERE id = 1; COMMIT;
--@ session s2: BEGIN; DELETE FROM t WHERE id = 2; COMMIT;
