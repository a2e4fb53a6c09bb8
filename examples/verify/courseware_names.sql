-- Two courses are added under different numbers, perhaps with the same name.
CREATE TABLE courses (id int PRIMARY KEY, name int NOT NULL);

CREATE PROCEDURE add_course(p_id int, p_name int) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT * FROM courses WHERE name = p_name) THEN
    INSERT INTO courses VALUES (p_id, p_name);
  END IF;
END $$;

--@ session ann: CALL add_course(1, ?);
--@ session ben: CALL add_course(2, ?);
--@ invariant unique_names: NOT EXISTS (SELECT * FROM courses a JOIN courses b ON a.name = b.name AND a.id < b.id)
