-- at postgresql
-- A generated column is made again from the row that is there after a wait.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, twice int GENERATED ALWAYS AS (n * 2) STORED CHECK (twice < 30));
INSERT INTO t (id, n) VALUES (1, 5), (2, 1);
--@ session a: BEGIN; UPDATE t SET n = n + 4 WHERE id = 1; SELECT twice FROM t WHERE id = 1; COMMIT;
--@ session b: BEGIN; UPDATE t SET n = n + 6 WHERE twice >= 10; UPDATE t SET n = n + 1 WHERE id = 2; COMMIT;
