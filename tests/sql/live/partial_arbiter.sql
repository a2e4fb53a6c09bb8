-- at postgresql
-- ON CONFLICT finds a partial index by a condition that implies the index's.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, ok boolean NOT NULL);
CREATE UNIQUE INDEX ON t (n) WHERE ok;
INSERT INTO t VALUES (1, 10, true), (2, 10, false);
--@ session a: BEGIN; UPDATE t SET ok = NOT ok WHERE id = 1; INSERT INTO t VALUES (3, 10, true) ON CONFLICT (n) WHERE ok AND n > 0 DO NOTHING; COMMIT;
--@ session b: BEGIN; INSERT INTO t VALUES (4, 10, true) ON CONFLICT (n) WHERE ok DO UPDATE SET id = t.id + 10; INSERT INTO t VALUES (5, 10, false) ON CONFLICT (n) WHERE ok DO NOTHING; COMMIT;
