-- at postgresql
-- A row that was locked FOR UPDATE and then changed is another one to a foreign
-- key that looks at it with an older snapshot, although its key stays.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id));
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session a: BEGIN; SELECT n FROM t WHERE id = 1 FOR UPDATE; UPDATE t SET n = 11 WHERE id = 1; COMMIT;
--@ session b: BEGIN; SELECT n FROM t WHERE id = 2; INSERT INTO c VALUES (1, 1); COMMIT;
