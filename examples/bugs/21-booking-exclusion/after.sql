-- Yosemite-Crew, issue 3139; LibreBooking, issue 147.
-- The same as for cal.com, inside a transaction, which does not help.
-- An exclusion constraint: the second one fails with an error.
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TABLE booking (id serial PRIMARY KEY, room int NOT NULL,
  begins int NOT NULL, ends int NOT NULL,
  EXCLUDE USING gist (room WITH =, int4range(begins, ends) WITH &&));

CREATE PROCEDURE book(p_room int, p_begins int, p_ends int) LANGUAGE plpgsql AS $$
DECLARE v_id int;
BEGIN
  SELECT id INTO v_id FROM booking
    WHERE room = p_room AND begins < p_ends AND ends > p_begins LIMIT 1;
  IF v_id IS NULL AND p_begins < p_ends THEN
    INSERT INTO booking (room, begins, ends) VALUES (p_room, p_begins, p_ends);
  END IF;
END $$;
