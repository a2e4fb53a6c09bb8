-- Courseware.  Not robust: enrolling reads the course, removing the course
-- reads the enrolments, and neither writes what the other reads.
CREATE TABLE courses (id integer PRIMARY KEY, title text NOT NULL);
CREATE TABLE students (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE enrolled (
  student integer NOT NULL,
  course  integer NOT NULL,
  PRIMARY KEY (student, course)
);
INSERT INTO courses VALUES (1, 'logic');
INSERT INTO students VALUES (1, 'ann');

CREATE PROCEDURE add_course(p_id integer, p_title text)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO courses VALUES (p_id, p_title);
END $$;

CREATE PROCEDURE add_student(p_id integer, p_name text)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO students VALUES (p_id, p_name);
END $$;

CREATE PROCEDURE remove_course(p_id integer) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT * FROM enrolled WHERE course = p_id) THEN
    DELETE FROM courses WHERE id = p_id;
  END IF;
END $$;

CREATE PROCEDURE enroll_student(p_student integer, p_course integer)
LANGUAGE plpgsql AS $$
DECLARE v_title text;
BEGIN
  SELECT title INTO v_title FROM courses WHERE id = p_course;
  IF FOUND THEN
    INSERT INTO enrolled VALUES (p_student, p_course);
  END IF;
END $$;

CREATE PROCEDURE list_course(p_course integer) LANGUAGE plpgsql AS $$
DECLARE v_count integer;
BEGIN
  SELECT count(*) INTO v_count FROM enrolled WHERE course = p_course;
END $$;

--@ session ann: CALL enroll_student(1, 1);
--@ session ben: CALL remove_course(1);
