-- at postgresql
-- Equal rooms and overlapping times, with and without ON CONFLICT DO NOTHING.
CREATE TABLE b (id int PRIMARY KEY, room int, starts timestamp, ends timestamp, CONSTRAINT no_overlap EXCLUDE USING gist (int4range(room, room, '[]') WITH =, tsrange(starts, ends) WITH &&));
INSERT INTO b VALUES (1, 1, '2024-01-01 10:00', '2024-01-01 11:00');
--@ session a: BEGIN; INSERT INTO b VALUES (2, 1, '2024-01-01 11:00', '2024-01-01 12:00'); UPDATE b SET room = 2 WHERE id = 1; COMMIT;
--@ session b: BEGIN; INSERT INTO b VALUES (3, 1, '2024-01-01 11:30', '2024-01-01 12:30') ON CONFLICT DO NOTHING; INSERT INTO b VALUES (4, 1, '2024-01-01 10:30', '2024-01-01 10:40') ON CONFLICT ON CONSTRAINT no_overlap DO NOTHING; COMMIT;
