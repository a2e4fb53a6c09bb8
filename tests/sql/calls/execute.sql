-- Statements that EXECUTE makes of constants, format(), || and USING.
CREATE TABLE t (id int PRIMARY KEY, n int, name text);
CREATE TABLE told (at serial PRIMARY KEY, what text);
INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b');

CREATE PROCEDURE change(v int, s text) LANGUAGE plpgsql AS $$
DECLARE c int; x text;
BEGIN
  EXECUTE format('UPDATE %I SET n = n + %s, name = %L WHERE id = $1', 't', v, s)
    USING 1;
  GET DIAGNOSTICS c = ROW_COUNT;
  INSERT INTO told (what) VALUES ('rows ' || c);
  EXECUTE 'SELECT name FROM t WHERE n > $1 ORDER BY id' INTO x USING v;
  INSERT INTO told (what) VALUES (coalesce(x, 'none') || ' ' || FOUND);
  EXECUTE 'UPDATE t SET n = n - ' || v || ' WHERE name = ' || quote_literal(s);
END $$;

CREATE FUNCTION all_of(bound int) RETURNS TABLE (a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT id, n FROM t WHERE n >= $1 ORDER BY id' USING bound;
END $$;

CREATE PROCEDURE loops(v int) LANGUAGE plpgsql AS $$
DECLARE r record; i int := 0; a int; b int;
BEGIN
  FOR r IN EXECUTE format('SELECT id, n FROM %I WHERE n > %s ORDER BY id', 't', v) LOOP
    i := i + 1;
    EXECUTE 'UPDATE t SET n = $2 WHERE id = $1' USING r.id, r.n + i;
  END LOOP;
  PERFORM 1 FROM t WHERE id = 1;
  EXECUTE 'DELETE FROM told WHERE at > 1000';
  INSERT INTO told (what) VALUES ('found ' || FOUND);
  SELECT * INTO a, b FROM all_of(15);
  INSERT INTO told (what) VALUES (a || ',' || b);
END $$;

CREATE PROCEDURE one(v int) LANGUAGE plpgsql AS $$
DECLARE m int;
BEGIN
  EXECUTE format('SELECT n FROM t WHERE id = %L', v) INTO STRICT m;
  INSERT INTO told (what) VALUES ('one ' || m);
END $$;

--@ session a: CALL change(3, 'it''s'); CALL change(NULL, 'x'); CALL loops(5); CALL one(2);
--@ session b: CALL one(7); CALL one(NULL); CALL loops(NULL); CALL change(2, NULL);
