-- Two events look for a venue of their choice; an event takes one that is free.
CREATE TABLE venues (id int PRIMARY KEY, is_used boolean NOT NULL);
CREATE TABLE events (id int PRIMARY KEY, venue int);
INSERT INTO venues VALUES (1, false), (2, false);
INSERT INTO events VALUES (1, NULL), (2, NULL);
--@ open venues.is_used

CREATE PROCEDURE add_event(p_event int, p_venue int) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT * FROM venues WHERE id = p_venue AND NOT is_used) THEN
    UPDATE venues SET is_used = true WHERE id = p_venue;
    UPDATE events SET venue = p_venue WHERE id = p_event;
  END IF;
END $$;

--@ session ann: CALL add_event(1, ?);
--@ session ben: CALL add_event(2, ?);
--@ invariant one_each: NOT EXISTS (SELECT * FROM events a JOIN events b ON a.venue = b.venue AND a.id < b.id)
