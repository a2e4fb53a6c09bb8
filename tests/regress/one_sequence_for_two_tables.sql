-- Who draws first gets 1: the two have to do with each other, though not by a
-- row.
CREATE SEQUENCE ticket;
CREATE TABLE a (id int PRIMARY KEY DEFAULT nextval('ticket'), n int);
CREATE TABLE b (id int PRIMARY KEY DEFAULT nextval('ticket'), n int);
CREATE PROCEDURE first(m int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN
  INSERT INTO a (n) VALUES (m) RETURNING id INTO v;
  IF v > 1 THEN RAISE EXCEPTION 'late'; END IF;
END $$;
CREATE PROCEDURE second(m int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN
  INSERT INTO b (n) VALUES (m) RETURNING id INTO v;
  IF v > 1 THEN RAISE EXCEPTION 'late'; END IF;
END $$;
--@ session one: CALL first(1);
--@ session two: CALL second(1);
--@ invariant has_a: (SELECT count(*) FROM a) = 1
