-- A student and a course are added while the one is enrolled in the other.
CREATE TABLE students (id int PRIMARY KEY);
CREATE TABLE courses (id int PRIMARY KEY);
CREATE TABLE enrolled (id int PRIMARY KEY, student int NOT NULL, course int NOT NULL);

CREATE PROCEDURE add_student() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO students VALUES (1); END $$;
CREATE PROCEDURE add_course() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO courses VALUES (1); END $$;
CREATE PROCEDURE enrol(p_student int, p_course int) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT * FROM students WHERE id = p_student) AND EXISTS (SELECT * FROM courses WHERE id = p_course) THEN
    INSERT INTO enrolled VALUES (1, p_student, p_course);
  END IF;
END $$;

--@ session ann: CALL add_student();
--@ session ben: CALL add_course();
--@ session cem: CALL enrol(?, ?);
--@ invariant exist: NOT EXISTS (SELECT * FROM enrolled WHERE student NOT IN (SELECT id FROM students) OR course NOT IN (SELECT id FROM courses))
