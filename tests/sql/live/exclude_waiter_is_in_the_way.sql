-- at postgresql
-- EXCLUDE enters a row before it waits for others: who comes after it waits for
-- it, and the two may wait for each other.
CREATE TABLE b (id int PRIMARY KEY, span int4range NOT NULL, EXCLUDE USING gist (span WITH &&));
INSERT INTO b VALUES (1, '[20,30)');
--@ session a: BEGIN; INSERT INTO b VALUES (2, '[1,5)'); INSERT INTO b VALUES (3, '[6,9)'); COMMIT;
--@ session b: BEGIN; INSERT INTO b VALUES (4, '[4,6]'); DELETE FROM b WHERE id = 1; COMMIT;
