CREATE TABLE room (id int PRIMARY KEY, seats int);
CREATE TABLE guest (id int PRIMARY KEY, room int);
CREATE FUNCTION has_seat(r int) RETURNS boolean LANGUAGE sql AS 'SELECT seats > 0 FROM room WHERE id = r';
ALTER TABLE guest ADD CHECK (has_seat(room));
INSERT INTO room VALUES (1, 1);