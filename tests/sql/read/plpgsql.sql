-- Every form of PL/pgSQL that is read; what it computes goes into a table.
CREATE TABLE log (id serial PRIMARY KEY, tag text NOT NULL, i bigint, n numeric, t text, d date, b boolean);
CREATE TABLE acc (id int PRIMARY KEY, owner varchar(10), bal numeric(8,2) NOT NULL, opened date, kind smallint DEFAULT 1);
INSERT INTO acc VALUES (1, 'ann', 100, '2024-01-31', 1), (2, 'ben', 50.25, NULL, 2), (3, 'eva', 0, '2020-02-29', NULL);

CREATE PROCEDURE assignments(p int, q numeric DEFAULT 2.5) LANGUAGE plpgsql AS $$
DECLARE
  a int := p + 1;
  b CONSTANT bigint := a * 2;
  c text DEFAULT 'c' || a;
  d acc.bal%TYPE = 1.239;
  e a%TYPE;
  f varchar(5) := 'short';
  g boolean := a > b;
  h date := '2024-02-28';
  s smallint := 7;
BEGIN
  e := q;
  INSERT INTO log (tag, i, n, t, d, b) VALUES ('assign', e, d, c || f, h + 2, g);
  e := a / 2; d = q / 3;
  c := a || '-' || q || '-' || g || '-' || h;
  INSERT INTO log (tag, i, n, t) VALUES ('more', e % 2, d, c);
  s := '12'; h := h - 60; g := NULL;
  INSERT INTO log (tag, i, d, b, t) VALUES ('text', s, h, g IS NULL, coalesce(f, 'x') || length(c)::text);
  a := NULL;
  INSERT INTO log (tag, i, t) VALUES ('null', a + 1, 'a' || a);
END $$;

CREATE PROCEDURE branches(p int) LANGUAGE plpgsql AS $$
DECLARE x int := 0; v text;
BEGIN
  IF p > 1 THEN x := 1; ELSIF p = 1 THEN x := 2; ELSEIF p = 0 THEN x := 3; ELSE x := 4; END IF;
  IF p IS NULL THEN x := x + 10; END IF;
  IF p > 0 AND EXISTS (SELECT 1 FROM acc WHERE id = p) THEN x := x + 100; END IF;
  IF NOT (SELECT bal > 60 FROM acc WHERE id = p) THEN x := x + 1000; END IF;
  CASE p WHEN 1, 2 THEN v := 'low'; WHEN 3 THEN v := 'three'; ELSE v := 'none'; END CASE;
  CASE WHEN p > 2 THEN v := v || '!'; WHEN p IS NULL THEN v := v || '?'; ELSE NULL; END CASE;
  INSERT INTO log (tag, i, t) VALUES ('branch', x, v);
  CASE p WHEN 1 THEN v := 'one'; WHEN 2 THEN v := 'two'; END CASE;
  INSERT INTO log (tag, t) VALUES ('matched', v);
END $$;

CREATE PROCEDURE loops(n int) LANGUAGE plpgsql AS $$
<<blk>>
DECLARE i int := 100; s text := ''; total int := 0; r record; k int;
BEGIN
  FOR i IN 1..n LOOP s := s || i || ','; EXIT WHEN i >= 5; END LOOP;
  s := s || blk.i || ';';
  FOR i IN REVERSE n..1 BY 2 LOOP s := s || i || ' '; i := i + 10; END LOOP;
  FOR i IN 5..1 LOOP s := s || 'never'; END LOOP;
  k := 0;
  WHILE k < n LOOP k := k + 1; CONTINUE WHEN k % 2 = 0; total := total + k; END LOOP;
  <<outer>> LOOP
    k := k - 1;
    <<inner>> FOR j IN 1..3 LOOP
      CONTINUE outer WHEN j = 2 AND k > 2;
      EXIT outer WHEN k <= 0;
      total := total + 100;
    END LOOP inner;
  END LOOP;
  FOR r IN SELECT id, bal AS b FROM acc WHERE bal > 0 ORDER BY bal LOOP
    s := s || r.id || '=' || r.b || ' ';
    UPDATE acc SET bal = bal + 1 WHERE id = r.id;
  END LOOP;
  INSERT INTO log (tag, i, t, b) VALUES ('loops', total, s, FOUND);
  FOR k, s IN SELECT id, owner FROM acc ORDER BY id DESC LOOP total := total + k; END LOOP;
  INSERT INTO log (tag, i, n, t) VALUES ('list', total, k, s);
  FOR r IN SELECT 1 AS one WHERE false LOOP NULL; END LOOP;
  INSERT INTO log (tag, b) VALUES ('none', FOUND);
  BEGIN
    DECLARE k text := 'inner'; BEGIN k := k || blk.total; INSERT INTO log (tag, t) VALUES ('nested', k); END;
  END;
END blk $$;

CREATE PROCEDURE queries(p int) LANGUAGE plpgsql AS $$
DECLARE v numeric := 7; o varchar; row acc%ROWTYPE; rec record; cnt int; f boolean;
BEGIN
  SELECT bal, owner INTO v, o FROM acc WHERE id = p; f := FOUND;
  GET DIAGNOSTICS cnt = ROW_COUNT;
  INSERT INTO log (tag, i, n, t, b) VALUES ('into', cnt, v, o, f);
  SELECT * INTO row FROM acc WHERE id >= p ORDER BY id DESC;
  INSERT INTO log (tag, i, n, t, d) VALUES ('row', row.id, row.bal, row.owner, row.opened);
  row.bal := row.bal * 1.005; row.kind := 3;
  INSERT INTO log (tag, i, n) VALUES ('field', row.kind, row.bal);
  SELECT count(*) AS c, max(bal) AS m, min(opened) AS o INTO rec FROM acc WHERE id <> p;
  INSERT INTO log (tag, i, n, d) VALUES ('record', rec.c, rec.m, rec.o);
  UPDATE acc SET bal = bal - 1 WHERE id > p; f := FOUND;
  GET DIAGNOSTICS cnt := ROW_COUNT;
  INSERT INTO log (tag, i, b) VALUES ('update', cnt, f);
  UPDATE acc SET bal = bal * 2, owner = upper(owner) WHERE id = p RETURNING bal, owner || id INTO v, o;
  INSERT INTO log (tag, n, t) VALUES ('returning', v, o);
  DELETE FROM acc WHERE id = 99 RETURNING owner INTO o;
  INSERT INTO log (tag, t, b) VALUES ('delete', o, FOUND);
  PERFORM 1 FROM acc WHERE bal > 1000;
  INSERT INTO log (tag, b) VALUES ('perform', FOUND);
  PERFORM * FROM acc;
  GET DIAGNOSTICS cnt = ROW_COUNT;
  INSERT INTO log (tag, i, b) VALUES ('performed', cnt, FOUND);
  v := (SELECT sum(bal) FROM acc) / 3 + (SELECT count(*) FROM acc);
  cnt := 5 - (SELECT max(id) FROM acc WHERE id < p);
  INSERT INTO log (tag, i, n) VALUES ('scalar', cnt, v);
  INSERT INTO acc (id, bal) VALUES (p + 10, 1), (p + 11, 2) ON CONFLICT (id) DO UPDATE SET bal = acc.bal + EXCLUDED.bal;
  GET DIAGNOSTICS cnt = ROW_COUNT;
  INSERT INTO log (tag, i) VALUES ('upsert', cnt);
  INSERT INTO log (tag, i) SELECT 'copy', id FROM acc WHERE id > 3;
  SELECT id INTO STRICT cnt FROM acc WHERE id = p;
  rec.c := rec.c + 1;
  INSERT INTO log (tag, b) VALUES ('whole', FOUND);
  IF row IS NULL THEN INSERT INTO log (tag) VALUES ('row null'); END IF;
  IF row IS NOT NULL THEN INSERT INTO log (tag) VALUES ('row not null'); END IF;
  IF rec IS NOT NULL AND NOT rec IS NULL THEN INSERT INTO log (tag) VALUES ('rec not null'); END IF;
  SELECT * INTO row FROM acc WHERE false;
  IF row IS NULL THEN INSERT INTO log (tag) VALUES ('row gone'); END IF;
  INSERT INTO log (tag, i) VALUES ('strict', cnt + rec.c);
END $$;

CREATE PROCEDURE cursors(lo int) LANGUAGE plpgsql AS $$
DECLARE
  c CURSOR FOR SELECT id, owner FROM acc WHERE id >= lo ORDER BY id;
  d CURSOR (a int, b int) FOR SELECT bal FROM acc WHERE id BETWEEN a AND b ORDER BY id;
  e refcursor; i int; o text; r record; s text := '';
BEGIN
  OPEN c;
  LOOP FETCH c INTO i, o; EXIT WHEN NOT FOUND; s := s || i || coalesce(o, '-'); END LOOP;
  CLOSE c;
  FOR x IN d(1, lo) LOOP s := s || ' ' || x.bal; END LOOP;
  OPEN d(lo, 9); FETCH NEXT FROM d INTO r; s := s || '|' || coalesce(r.bal::text, 'nothing'); CLOSE d;
  OPEN e FOR SELECT count(*) FROM acc; FETCH e INTO i; CLOSE e;
  INSERT INTO log (tag, i, t) VALUES ('cursor', i, s);
  lo := lo + 1;
  OPEN c; FETCH c INTO r; CLOSE c;
  INSERT INTO log (tag, i, t) VALUES ('again', r.id, r.owner);
END $$;

CREATE FUNCTION fee(amount numeric, rate numeric DEFAULT 0.1) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$ SELECT round(amount * rate, 2) $$;
CREATE FUNCTION balance(who int) RETURNS numeric LANGUAGE sql STABLE AS $$ SELECT bal FROM acc WHERE id = who $$;
CREATE FUNCTION rich(who int) RETURNS boolean STABLE LANGUAGE plpgsql AS $$ DECLARE b numeric; BEGIN SELECT bal INTO b FROM acc WHERE id = who; IF b IS NULL THEN RETURN false; END IF; RETURN b > fee(500); END $$;
CREATE FUNCTION pay(who int, amount numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE left_over numeric;
BEGIN
  UPDATE acc SET bal = bal - amount WHERE id = who RETURNING bal INTO left_over;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account %', who USING ERRCODE = 'no_data_found'; END IF;
  RETURN left_over;
END $$;
CREATE FUNCTION fact(n int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN IF n <= 1 THEN RETURN 1; END IF; RETURN n * fact(n - 1); END $$;
CREATE FUNCTION next_of(INOUT n int) LANGUAGE plpgsql AS $$ BEGIN n := n + 1; END $$;
CREATE FUNCTION half(OUT h numeric, a int) LANGUAGE plpgsql AS $$ BEGIN h := a / 2.0; END $$;
CREATE FUNCTION note(what text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (tag) VALUES (what); END $$;
CREATE PROCEDURE divide(a int, b int, INOUT quotient int, OUT rest int) LANGUAGE plpgsql AS $$ BEGIN quotient := a / b + quotient; rest := a % b; END $$;

CREATE PROCEDURE calls(p int) LANGUAGE plpgsql AS $$
DECLARE v numeric; q int := 100; r int;
BEGIN
  v := pay(p, 1) + pay(2, fee(20)); INSERT INTO log (tag, n) VALUES ('paid', v);
  v := balance(p) - balance(2); INSERT INTO log (tag, n, b) VALUES ('stable', v, rich(p));
  SELECT pay(p, 2) INTO v; INSERT INTO log (tag, n, b) VALUES ('selected', v, FOUND);
  PERFORM pay(p, 3); PERFORM note('noted');
  INSERT INTO log (tag, i, n, t) VALUES ('pure', fact(5), half(7), 'n' || next_of(p));
  INSERT INTO log (tag, n) VALUES ('lifted', pay(p, 0.5));
  CALL divide(17, 5, q, r); INSERT INTO log (tag, i, n) VALUES ('called', q, r);
  CALL loops(1);
  INSERT INTO log (tag, i) SELECT 'where', count(*) FROM acc WHERE rich(id);
  INSERT INTO log (tag, n) SELECT 'column', fee(bal) FROM acc WHERE id = p;
END $$;

CREATE PROCEDURE broke() LANGUAGE plpgsql AS $$ BEGIN PERFORM pay(999, 1); END $$;

CREATE PROCEDURE raises(p int) LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  RAISE NOTICE 'here % and %%', p;
  INSERT INTO log (tag) VALUES ('lost');
  IF p = 1 THEN RAISE EXCEPTION 'one %', p + 1; END IF;
  IF p = 2 THEN RAISE unique_violation; END IF;
  IF p = 3 THEN RAISE SQLSTATE 'ZZ001'; END IF;
  IF p = 4 THEN RAISE EXCEPTION USING MESSAGE = 'four ' || p, ERRCODE = '22012', DETAIL = 'x'; END IF;
  IF p = 5 THEN p := p / (p - 5); END IF;
  IF p = 6 THEN SELECT id INTO STRICT p FROM acc; END IF;
  IF p = 7 THEN SELECT id INTO STRICT p FROM acc WHERE false; END IF;
  IF p = 8 THEN INSERT INTO acc (id, bal) VALUES (1, 1); END IF;
  IF p = 9 THEN UPDATE acc SET bal = NULL; END IF;
  IF p = 10 THEN UPDATE acc SET bal = 1000000; END IF;
  IF p = 11 THEN UPDATE acc SET owner = 'far too long a name'; END IF;
  IF p = 12 THEN p := 2147483647 + p; END IF;
  IF p = 13 THEN RAISE NOTICE '%', p / 0; END IF;
  RETURN;
END $$;

--@ session a: CALL assignments(3); CALL assignments(-4, 1.005); CALL assignments(NULL, NULL);
--@   CALL branches(1); CALL branches(2); CALL branches(3); CALL branches(NULL); CALL branches(0);
--@   CALL loops(7); CALL loops(0); CALL queries(1); CALL queries(2); CALL queries(77); CALL cursors(2); CALL cursors(50);
--@ session b: CALL calls(1); CALL broke(); CALL raises(0); CALL raises(1); CALL raises(2); CALL raises(3); CALL raises(4); CALL raises(5);
--@   CALL raises(6); CALL raises(7); CALL raises(8); CALL raises(9); CALL raises(10); CALL raises(11); CALL raises(12); CALL raises(13);
--@   SELECT pay(1, 5); BEGIN; SELECT pay(2, 5); UPDATE acc SET bal = 0 WHERE id = 3; ROLLBACK; BEGIN; CALL queries(3); INSERT INTO log (tag) VALUES ('end'); COMMIT;
--@ invariant some: (SELECT count(*) FROM log) > 10
