-- at postgresql
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session a: BEGIN; SELECT n FROM t WHERE id = 1 FOR SHARE; UPDATE t SET n = 12 WHERE id = 1; COMMIT;
--@ session b: BEGIN; SELECT n FROM t WHERE id = 2; SELECT n FROM t WHERE id = 1 FOR KEY SHARE; COMMIT;
