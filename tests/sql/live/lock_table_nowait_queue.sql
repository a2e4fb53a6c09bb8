-- at postgresql
-- NOWAIT fails behind who waits, even for what the session itself holds.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
--@ session s1: BEGIN; LOCK t; COMMIT;
--@ session s2: BEGIN; SELECT n FROM t; LOCK TABLE t IN EXCLUSIVE MODE NOWAIT; COMMIT;
