-- s2 reads `a` of a row in which it has changed `b`: by columns it reads what
-- s0 wrote, so s1 is behind s0's first transaction, and misses the second one.
CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL);
INSERT INTO t VALUES (1, 0, 1), (2, 1, 0);
--@ session s0: BEGIN; UPDATE t SET a = 1 WHERE id = 2; SELECT b INTO w FROM t WHERE id = 2; COMMIT; BEGIN; UPDATE t SET a = 0 WHERE id = 1; SELECT a INTO w FROM t WHERE id = 2; COMMIT;
--@ session s1: BEGIN; SELECT b INTO w FROM t WHERE id = 2; SELECT a INTO v FROM t WHERE id = 1; UPDATE t SET a = w + 1 WHERE id = 2; COMMIT;
--@ session s2: BEGIN; UPDATE t SET b = 1 WHERE id = 2; SELECT a INTO w FROM t WHERE id = 2; COMMIT;
