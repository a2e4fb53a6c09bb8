-- Two courses look at a slot of their choice and take it if it is free.
CREATE TABLE slots (id int PRIMARY KEY, course int);
CREATE TABLE courses (id int PRIMARY KEY, slot int);
INSERT INTO slots VALUES (1, NULL), (2, NULL);
INSERT INTO courses VALUES (1, NULL), (2, NULL);

CREATE PROCEDURE schedule(p_course int, p_slot int) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT * FROM slots WHERE id = p_slot AND course IS NULL) THEN
    UPDATE slots SET course = p_course WHERE id = p_slot;
    UPDATE courses SET slot = p_slot WHERE id = p_course;
  END IF;
END $$;

--@ session ann: CALL schedule(1, ?);
--@ session ben: CALL schedule(2, ?);
--@ invariant one_each: NOT EXISTS (SELECT * FROM courses a JOIN courses b ON a.slot = b.slot AND a.id < b.id)
