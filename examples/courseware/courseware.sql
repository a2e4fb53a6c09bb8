-- Courses with a limited number of places; a course can be closed or removed.
CREATE TABLE students (
  id   integer PRIMARY KEY,
  name text NOT NULL
);
CREATE TABLE courses (
  id      integer PRIMARY KEY,
  title   text NOT NULL,
  places  integer NOT NULL,
  is_open boolean NOT NULL
);
CREATE TABLE enrolments (
  student integer REFERENCES students (id),
  course  integer REFERENCES courses (id),
  PRIMARY KEY (student, course)
);
INSERT INTO students VALUES (1, 'Ann'), (2, 'Ben');
INSERT INTO courses VALUES (10, 'Databases', 1, true), (20, 'Logic', 5, true);

CREATE PROCEDURE enrol(p_student integer, p_course integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_course  courses%ROWTYPE;
  v_taken   integer;
BEGIN
  SELECT * INTO v_course FROM courses WHERE id = p_course;
  IF NOT FOUND OR NOT v_course.is_open THEN
    RAISE EXCEPTION 'course % is not open', p_course;
  END IF;
  SELECT count(*) INTO v_taken FROM enrolments WHERE course = p_course;
  IF v_taken >= v_course.places THEN
    RAISE EXCEPTION '% is full', v_course.title;
  END IF;
  INSERT INTO enrolments VALUES (p_student, p_course);
END;
$$;

-- A course without students is removed, another one only closed.
CREATE PROCEDURE end_course(p_course integer) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM enrolments WHERE course = p_course) THEN
    UPDATE courses SET is_open = false WHERE id = p_course;
  ELSE
    DELETE FROM courses WHERE id = p_course;
  END IF;
END;
$$;

--@ session ann: CALL enrol(1, 10);
--@ session ben: CALL enrol(2, 10); CALL enrol(2, 20);
--@ session dean: CALL end_course(20);
--@ invariant not_overfull: NOT EXISTS (SELECT c.id FROM courses c JOIN enrolments e ON e.course = c.id GROUP BY c.id, c.places HAVING count(*) > c.places)
--@ invariant no_orphan: NOT EXISTS (SELECT 1 FROM enrolments e LEFT JOIN courses c ON c.id = e.course WHERE c.id IS NULL)
