-- A row is entered into one unique index after the other; while it waits at the
-- first, nobody meets it in the second.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL UNIQUE);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session s1: BEGIN; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (4, 30); COMMIT;
--@ session s2: BEGIN; INSERT INTO t VALUES (2, 30); COMMIT;
