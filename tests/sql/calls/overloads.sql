-- Routines of one name, arguments by name, bodies outside of quotes.
CREATE TABLE told (at serial PRIMARY KEY, what text);
CREATE TABLE n (v int);
INSERT INTO n VALUES (3);
CREATE FUNCTION f(a int) RETURNS text LANGUAGE sql BEGIN ATOMIC
  UPDATE n SET v = v + a;
  SELECT CASE WHEN a > 1 THEN 'int ' || v ELSE 'one' END FROM n;
END;
CREATE FUNCTION f(a text) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'text ' || a;
CREATE FUNCTION f(a numeric) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'numeric ' || a;
CREATE FUNCTION f(a int, b int DEFAULT 7) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN 'two ' || a || ' ' || b;
CREATE FUNCTION gone() RETURNS int LANGUAGE sql AS 'SELECT 1';
DROP FUNCTION gone();
CREATE FUNCTION gone() RETURNS text LANGUAGE sql AS $$ SELECT 'here' $$;
CREATE PROCEDURE p(a int, b text DEFAULT 'd', c int DEFAULT 5) LANGUAGE plpgsql AS $$
BEGIN INSERT INTO told (what) VALUES (a || ' ' || b || ' ' || c); END $$;
CREATE PROCEDURE p(a text) LANGUAGE plpgsql AS $$
BEGIN INSERT INTO told (what) VALUES ('p ' || a); END $$;
CREATE PROCEDURE all_of() LANGUAGE plpgsql AS $$
DECLARE x text;
BEGIN
  x := f('q'); INSERT INTO told (what) VALUES (x);
  x := f(1.5); INSERT INTO told (what) VALUES (x);
  x := f(4, 5); INSERT INTO told (what) VALUES (x);
  x := f(b => 2, a => 3); INSERT INTO told (what) VALUES (x);
  x := gone(); INSERT INTO told (what) VALUES (x);
  CALL p(c => 1, a => 2);
  CALL p(1, 'two');
END $$;
--@ session a: CALL all_of(); CALL p('x'); CALL p(1, c => 9);
--@ session b: CALL p(2, 'y', 3); CALL p(1 + 1, upper('z'));
