-- Writing through views of one table, and functions that are queries, in FROM.
CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL DEFAULT 5, s text, gone boolean NOT NULL DEFAULT false);
CREATE TABLE told (at serial PRIMARY KEY, what text);
INSERT INTO t VALUES (1, 10, 'one', false), (2, 20, 'two', false), (3, 30, 'three', true);
CREATE VIEW there AS SELECT id, v, s FROM t WHERE NOT gone;
CREATE VIEW renamed (key, text) AS SELECT x.id, x.s FROM t x WHERE x.v < 100;
CREATE FUNCTION above(n int) RETURNS SETOF t LANGUAGE sql STABLE AS $$ SELECT * FROM t WHERE v > n ORDER BY id $$;
CREATE FUNCTION parts(k int, w text DEFAULT 'w') RETURNS TABLE (num bigint, txt text) LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN QUERY SELECT t.id::bigint, t.s || w FROM t WHERE t.id >= k; RETURN; END $$;
CREATE FUNCTION numbers(int) RETURNS SETOF int LANGUAGE sql IMMUTABLE AS $$ SELECT generate_series(1, $1) $$;
CREATE FUNCTION one(i int, OUT a int, OUT b text) LANGUAGE sql STABLE AS $$ SELECT v, s FROM t WHERE id = i $$;
CREATE FUNCTION plain(i int) RETURNS int LANGUAGE sql STABLE AS $$ SELECT v FROM t WHERE id = i $$;
CREATE PROCEDURE change(i int) LANGUAGE plpgsql AS $$
DECLARE n int; j jsonb := '{"a": 7, "b": true}'; k int; b boolean;
BEGIN
  UPDATE there SET v = v + 1 WHERE id >= i;
  GET DIAGNOSTICS n = ROW_COUNT;
  INSERT INTO told (what) VALUES ('updated ' || n);
  INSERT INTO there (id, s) VALUES (10 + i, 'new') ON CONFLICT DO NOTHING;
  INSERT INTO renamed VALUES (20 + i, 'more') ON CONFLICT DO NOTHING;
  UPDATE renamed SET text = text || key WHERE key = 1;
  DELETE FROM renamed r WHERE r.key = 20 + i RETURNING r.key INTO n;
  INSERT INTO told (what) VALUES (n::text);
  DELETE FROM there WHERE id = 3;
  GET DIAGNOSTICS n = ROW_COUNT;
  INSERT INTO told (what) VALUES ('deleted ' || n);
  INSERT INTO told (what) SELECT string_agg(x.id || ':' || x.v, ' ' ORDER BY x.id) FROM above(10) x JOIN t ON t.id = x.id;
  INSERT INTO told (what) SELECT string_agg(p.txt || p.num, ' ' ORDER BY p.num) FROM t, parts(t.id) p WHERE t.id < 3;
  INSERT INTO told (what) SELECT string_agg(n.n::text, ' ') FROM numbers(3 + i) AS n (n);
  INSERT INTO told (what) SELECT string_agg(concat_ws('/', t.id, o.a, o.b, f), ' ' ORDER BY t.id) FROM t LEFT JOIN LATERAL one(t.id) o ON true, plain(t.id) f;
  INSERT INTO told (what) SELECT count(*)::text FROM parts(100, 'z');
  k := j -> 'a';
  b := j -> 'b';
  INSERT INTO told (what) VALUES (k || ' ' || b);
END $$;
--@ session a: CALL change(1); BEGIN; UPDATE there SET v = 200 WHERE id = 2 RETURNING id, v; COMMIT;
--@ session b: CALL change(2);
