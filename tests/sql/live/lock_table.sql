-- at postgresql
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session a: BEGIN; LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE; SELECT n INTO x FROM t WHERE id = 1; UPDATE t SET n = x + 1 WHERE id = 1; COMMIT;
--@ session b: BEGIN; SELECT n INTO x FROM t WHERE id = 1; UPDATE t SET n = x + 10 WHERE id = 1; COMMIT;
