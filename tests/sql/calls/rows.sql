-- Triggers that return records and have arguments; domains; items of arrays.
CREATE DOMAIN amount AS int CHECK (VALUE >= 0) CHECK (VALUE < 1000);
CREATE TABLE t (id int PRIMARY KEY, n amount, who text, tags text[]);
CREATE TABLE kept (id int PRIMARY KEY);
CREATE TABLE told (at serial PRIMARY KEY, what text);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE _new record;
BEGIN
  _new := NEW;
  _new.who = TG_ARGV[0] || TG_NARGS || coalesce(TG_ARGV[2], '-');
  RETURN _new;
END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON t FOR EACH ROW
  EXECUTE FUNCTION stamp('by ', 2);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM told) THEN RETURN NEW; END IF;  -- NULL: the row stays
  RETURN OLD;
END $$;
CREATE TRIGGER other BEFORE DELETE ON kept FOR EACH ROW WHEN (OLD.id > 5)
  EXECUTE FUNCTION keep();
CREATE TRIGGER keep BEFORE DELETE ON kept FOR EACH ROW EXECUTE FUNCTION keep();
INSERT INTO t VALUES (1, 10, NULL, '{}');
INSERT INTO kept VALUES (1);
CREATE PROCEDURE items() LANGUAGE plpgsql AS $$
DECLARE a text[] := '{}'; i int;
BEGIN
  a[1] := 'x';
  a[3] := 'z';
  FOR i IN 1..2 LOOP a[i] := coalesce(a[i], '') || i; END LOOP;
  UPDATE t SET tags = a WHERE id = 1;
  INSERT INTO told (what) SELECT hashtext(who)::text FROM t;
  INSERT INTO told (what) SELECT hashtext('a long text of more bytes than one round')::text;
  INSERT INTO told (what) SELECT hashtextextended('abc', 7)::text;
  INSERT INTO told (what) SELECT hashtext('')::text;
  INSERT INTO told (what) SELECT json_agg(v) FILTER (WHERE v > 1)::text
    FROM (VALUES (1), (2), (3)) AS x (v);
  INSERT INTO told (what) SELECT string_agg(DISTINCT v, '+')
    FROM (VALUES ('b'), ('a'), ('b')) AS x (v);
  INSERT INTO told (what) SELECT array_to_string(array_agg(DISTINCT v), ',')
    FROM (VALUES (3), (1), (3)) AS x (v);
END $$;
CREATE PROCEDURE add(i int, v int) LANGUAGE plpgsql AS $$
BEGIN INSERT INTO t VALUES (i, v); END $$;
--@ session a: CALL items(); CALL add(2, -1); CALL add(3, 5); CALL add(4, 1000);
--@ session b: BEGIN; DELETE FROM kept; UPDATE t SET n = n - 11 WHERE id = 1; COMMIT; BEGIN; DELETE FROM kept; UPDATE t SET n = 0 WHERE id = 1; COMMIT;
