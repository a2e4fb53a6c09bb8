-- RoomStore: a room is one row, and every decision is about one room.
CREATE TABLE rooms (
  id      integer PRIMARY KEY,
  title   text NOT NULL,
  members integer NOT NULL
);
INSERT INTO rooms VALUES (1, 'lobby', 0);

CREATE PROCEDURE create_room(p_id integer, p_title text)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO rooms VALUES (p_id, p_title, 0);
END $$;

CREATE PROCEDURE rename_room(p_id integer, p_title text)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE rooms SET title = p_title WHERE id = p_id;
END $$;

CREATE PROCEDURE join_room(p_id integer, p_most integer)
LANGUAGE plpgsql AS $$
DECLARE v_members integer;
BEGIN
  SELECT members INTO v_members FROM rooms WHERE id = p_id;
  IF v_members < p_most THEN
    UPDATE rooms SET members = v_members + 1 WHERE id = p_id;
  END IF;
END $$;

CREATE PROCEDURE remove_room(p_id integer) LANGUAGE plpgsql AS $$
DECLARE v_members integer;
BEGIN
  SELECT members INTO v_members FROM rooms WHERE id = p_id;
  IF v_members = 0 THEN
    DELETE FROM rooms WHERE id = p_id;
  END IF;
END $$;

CREATE PROCEDURE show_room(p_id integer) LANGUAGE plpgsql AS $$
DECLARE v_title text;
BEGIN
  SELECT title INTO v_title FROM rooms WHERE id = p_id;
END $$;

--@ session ann: CALL join_room(1, 1);
--@ session ben: CALL join_room(1, 1); CALL remove_room(1);
