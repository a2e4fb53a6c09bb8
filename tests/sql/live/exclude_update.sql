-- at postgresql
-- An UPDATE of a column of any index enters its row into all of them, and
-- EXCLUDE looks again; one of other columns does not.
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL, span int4range NOT NULL, EXCLUDE USING gist (span WITH &&) WHERE (m > 0));
CREATE INDEX ON b (n);
INSERT INTO b VALUES (1, 1, 1, '[1,5)'), (2, 2, 0, '[2,4)');
--@ session a: BEGIN; UPDATE b SET span = '[1,4)' WHERE id = 1; UPDATE b SET n = 3 WHERE id = 1; COMMIT;
--@ session b: BEGIN; INSERT INTO b VALUES (3, 1, 1, '[3,8)'); UPDATE b SET m = 1 WHERE id = 2; COMMIT;
