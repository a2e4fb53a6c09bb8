-- at mariadb
-- A parent that is not there is locked as a gap, and children that are not there
-- likewise; a moved primary key asks for both.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id));
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO c VALUES (1, 2);
--@ session s1: BEGIN; UPDATE t SET n = 10 WHERE id = 2; DELETE FROM t WHERE id = 2; COMMIT;
--@ session s2: BEGIN; SELECT c.id, n FROM c JOIN t ON t.id = c.t FOR UPDATE; COMMIT;
