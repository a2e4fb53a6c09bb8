-- A function that calls itself IMMUTABLE may read tables all the same.
CREATE TABLE flag (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO flag VALUES (1, 0), (2, 0);
CREATE FUNCTION other(i int) RETURNS int LANGUAGE sql IMMUTABLE
  AS $$ SELECT v FROM flag WHERE id = i $$;
CREATE PROCEDURE first() LANGUAGE plpgsql AS $$
BEGIN IF other(2) = 0 THEN UPDATE flag SET v = 1 WHERE id = 1; END IF; END $$;
CREATE PROCEDURE second() LANGUAGE plpgsql AS $$
BEGIN IF other(1) = 0 THEN UPDATE flag SET v = 1 WHERE id = 2; END IF; END $$;
--@ session a: CALL first();
--@ session b: CALL second();
