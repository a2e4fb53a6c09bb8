-- AUTO_INCREMENT goes on behind the largest number that a row was given: the
-- first INSERT of a session took 1 and failed.
CREATE TABLE `t` (id INT AUTO_INCREMENT PRIMARY KEY, n INT) ENGINE=InnoDB;
INSERT INTO t (id, n) VALUES (1, 1), (2, 2);
--@ session a: INSERT INTO t (n) VALUES (5); UPDATE t SET n = n + 1 WHERE id = 1;
--@ session b: INSERT INTO t (n) VALUES (6); UPDATE t SET n = n + 1 WHERE id = 1;
--@ invariant all_are_there: (SELECT COUNT(*) FROM t) = 4
