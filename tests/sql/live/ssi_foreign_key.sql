-- at postgresql
-- The queries of foreign keys read, too: those who delete a parent have read
-- its children, those who insert a child its parent.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id));
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO c VALUES (1, 2);
--@ session s1: BEGIN; INSERT INTO t VALUES (4, 30); COMMIT;
--@ session s2: BEGIN; DELETE FROM t WHERE n = (SELECT min(n) FROM t WHERE n < 20); COMMIT;
--@ session s3: BEGIN; SELECT id, n FROM t WHERE id > 4 ORDER BY n, id LIMIT 1 FOR SHARE; INSERT INTO c VALUES (3, 4); COMMIT;
