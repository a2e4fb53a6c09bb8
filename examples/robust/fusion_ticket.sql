-- FusionTicket: a purchase reads and updates the row of its event.
CREATE TABLE events (
  id      integer PRIMARY KEY,
  venue   text NOT NULL,
  tickets integer NOT NULL
);
INSERT INTO events VALUES (1, 'hall', 2);

CREATE PROCEDURE add_event(p_id integer, p_venue text, p_tickets integer)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events VALUES (p_id, p_venue, p_tickets);
END $$;

CREATE PROCEDURE purchase(p_event integer, p_n integer)
LANGUAGE plpgsql AS $$
DECLARE v_left integer;
BEGIN
  SELECT tickets INTO v_left FROM events WHERE id = p_event;
  IF v_left >= p_n THEN
    UPDATE events SET tickets = v_left - p_n WHERE id = p_event;
  END IF;
END $$;

CREATE PROCEDURE remaining(p_event integer) LANGUAGE plpgsql AS $$
DECLARE v_left integer;
BEGIN
  SELECT tickets INTO v_left FROM events WHERE id = p_event;
END $$;

CREATE PROCEDURE in_venue(p_venue text) LANGUAGE plpgsql AS $$
DECLARE v_left integer;
BEGIN
  SELECT sum(tickets) INTO v_left FROM events WHERE venue = p_venue;
END $$;

--@ session ann: CALL purchase(1, 2);
--@ session ben: CALL purchase(1, 1); CALL in_venue('hall');
