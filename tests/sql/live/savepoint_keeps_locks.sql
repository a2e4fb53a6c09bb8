-- at mariadb
-- InnoDB undoes what a savepoint's rollback undoes, and keeps its locks.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
--@ session a: BEGIN; SAVEPOINT p; UPDATE t SET n = 11 WHERE id = 1; ROLLBACK TO p; UPDATE t SET n = 21 WHERE id = 2; COMMIT;
--@ session b: BEGIN; UPDATE t SET n = n + 100 WHERE id = 1; COMMIT;
