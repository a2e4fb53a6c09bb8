-- at postgresql:serializable
-- INSERT ... ON CONFLICT DO NOTHING has read the row that it met.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20), (4, 10);
--@ session s1: BEGIN; INSERT INTO t VALUES (4, 30) ON CONFLICT DO NOTHING; INSERT INTO t VALUES (2, 20) ON CONFLICT (id) DO UPDATE SET n = t.n + 1; COMMIT;
--@ session s2: BEGIN; SELECT count(*), sum(n) FROM t; UPDATE t SET n = 30 WHERE id > 3; COMMIT;
