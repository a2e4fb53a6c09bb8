-- at postgresql
-- Only rows for which the index's condition is true exclude one another.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, ok boolean NOT NULL);
CREATE UNIQUE INDEX one_ok ON t (n) WHERE ok;
INSERT INTO t VALUES (1, 10, true), (2, 10, false), (3, 20, true);
--@ session a: BEGIN; UPDATE t SET ok = true WHERE id = 2; INSERT INTO t VALUES (4, 20, false); COMMIT;
--@ session b: BEGIN; UPDATE t SET ok = false WHERE id = 1; INSERT INTO t VALUES (5, 10, true); COMMIT;
