-- Rows as values: parameters, results, fields, arrays of them.
CREATE TYPE pair AS (a int, b text);
CREATE TABLE t (id int PRIMARY KEY, v int, s varchar(20));
CREATE TABLE kept (id int PRIMARY KEY, p pair, all_p pair[]);
CREATE TABLE told (at serial PRIMARY KEY, what text);
INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two, or "2"'), (3, NULL, NULL);
INSERT INTO kept VALUES (1, ROW(1, 'x'), ARRAY[ROW(1, 'y')::pair, (2, NULL)::pair]);
CREATE FUNCTION twice(p pair) RETURNS pair LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  p.a := p.a * 2;
  p.b := p.b || p.b;
  RETURN p;
END $$;
CREATE FUNCTION named(r t) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT r.s || ':' || (r).v $$;
CREATE FUNCTION find(i int) RETURNS t LANGUAGE sql STABLE AS $$ SELECT * FROM t WHERE id = i $$;
CREATE FUNCTION as_row(i int) RETURNS t LANGUAGE sql STABLE AS $$ SELECT t FROM t WHERE id = i $$;
CREATE FUNCTION change(i int) RETURNS t LANGUAGE plpgsql AS $$
DECLARE r t;
BEGIN
  UPDATE t SET v = coalesce(v, 0) + 1 WHERE id = i RETURNING * INTO r;
  RETURN r;
END $$;
CREATE FUNCTION made(i int) RETURNS pair LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF i = 0 THEN RETURN NULL; END IF;
  IF i = 1 THEN RETURN ROW(i, 'first'::text); END IF;
  RETURN (i, 'more')::pair;
END $$;
CREATE FUNCTION total(VARIADIC all_n int[]) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT sum(n)::int FROM unnest(all_n) n $$;
CREATE FUNCTION joined(sep text, VARIADIC parts text[] DEFAULT '{}') RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT array_to_string(parts, sep) $$;
CREATE PROCEDURE say(what text) LANGUAGE sql AS $$ INSERT INTO told (what) VALUES (say.what) $$;
CREATE PROCEDURE values_of(i int) LANGUAGE plpgsql AS $$
DECLARE p pair := (1, 'z'); q pair; r t; x record; f t := find(i);
BEGIN
  q := twice(p);
  CALL say(q.a || q.b);
  CALL say((twice((3, 'w')::pair)).b);
  r := find(i);
  CALL say(r.s || coalesce(f.v, -1));
  x := made(i);
  CALL say(x.a || coalesce(x.b, '-'));
  SELECT change(i) INTO x;
  CALL say((x.change).v::text);
  SELECT t INTO x FROM t WHERE id = i + 1;
  CALL say((x.t).s);
  r := change(i);
  CALL say(r.v::text);
  CALL say((change(i)).v::text);
  PERFORM change(i);
  INSERT INTO told (what) SELECT total(1, 2, i) || ' ' || total(VARIADIC ARRAY[4, 5]) || joined('-', 'a', 'b') || joined('+');
  INSERT INTO told (what) SELECT named(t) FROM t ORDER BY id;
  INSERT INTO told (what) SELECT (find(id)).s FROM t ORDER BY id;
  INSERT INTO told (what) SELECT t::text FROM t ORDER BY id;
  INSERT INTO told (what) SELECT to_json(t)::text FROM t ORDER BY id;
  INSERT INTO told (what) SELECT row_to_json(made(id))::text FROM t ORDER BY id;
  INSERT INTO told (what) SELECT (as_row(i)).v || '/' || (t).id FROM t ORDER BY id;
  INSERT INTO told (what) SELECT (made(0) IS NULL) || ' ' || (made(1) IS NOT NULL) || ' ' || (t IS NOT NULL) FROM t ORDER BY id;
  INSERT INTO told (what) SELECT array_agg(t ORDER BY id)::text FROM t;
  INSERT INTO told (what) SELECT u::text || (u).v FROM (SELECT id, v FROM t WHERE v IS NOT NULL) u ORDER BY id;
  INSERT INTO told (what) SELECT named(w.*) FROM t w LEFT JOIN t y ON y.id = w.id + 1 WHERE y IS NULL;
  INSERT INTO told (what) SELECT '(7,"a ""b"" \\ c")'::pair::text;
  INSERT INTO told (what) SELECT (k.p).a || (k.all_p)[1].b || coalesce((k.all_p)[2].b, '?') FROM kept k;
  UPDATE kept SET p = twice(kept.p), all_p = all_p || made(2) WHERE id = 1;
  INSERT INTO kept SELECT 1 + i, made(i), ARRAY[q, p] ON CONFLICT DO NOTHING;
  INSERT INTO kept VALUES (10 + i, q, NULL);
END $$;
--@ session a: CALL values_of(1);
--@ session b: CALL values_of(2);
