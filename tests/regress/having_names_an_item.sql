-- MySQL knows the names of items in HAVING: the statement was taken for one
-- that fails, and with it the transaction.
CREATE TABLE `t` (id INT PRIMARY KEY, n INT) ENGINE=InnoDB;
INSERT INTO t VALUES (1, 0), (2, 7);
--@ session a: START TRANSACTION; SELECT id, SUM(n) AS total FROM t GROUP BY id HAVING total > 5; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;
--@ session b: START TRANSACTION; SELECT id, SUM(n) AS total FROM t GROUP BY id HAVING total > 5; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;
--@ invariant both_count: (SELECT n FROM t WHERE id = 1) = 2
