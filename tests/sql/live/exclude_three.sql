-- at postgresql
-- Two wait for the third; when that fails they wait for each other.
CREATE TABLE b (id int PRIMARY KEY, span int4range NOT NULL, EXCLUDE USING gist (span WITH &&));
INSERT INTO b VALUES (1, '[20,30)');
--@ session a: BEGIN; INSERT INTO b VALUES (2, '[1,5)'); INSERT INTO b VALUES (1, '[7,8)'); COMMIT;
--@ session b: BEGIN; INSERT INTO b VALUES (3, '[2,3)'); COMMIT;
--@ session c: BEGIN; INSERT INTO b VALUES (4, '[2,4)'); COMMIT;
