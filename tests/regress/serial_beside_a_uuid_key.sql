-- Rows with keys of their own still draw from one sequence: who draws first
-- gets 1.
CREATE TABLE entry (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), no serial,
                    n int);
CREATE PROCEDURE add_entry(m int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN
  INSERT INTO entry (n) VALUES (m) RETURNING no INTO v;
  IF v > 1 THEN RAISE EXCEPTION 'late'; END IF;
END $$;
--@ session one: CALL add_entry(1);
--@ session two: CALL add_entry(2);
--@ invariant is_of_one: (SELECT max(n) FROM entry) = 1
