-- Functions and operators, value by value.
CREATE TABLE t (id int PRIMARY KEY, v int, s text);
CREATE TABLE told (at serial PRIMARY KEY, what text);
INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, NULL, NULL);
CREATE PROCEDURE say(what text) LANGUAGE sql AS $$ INSERT INTO told (what) VALUES (say.what) $$;
CREATE PROCEDURE quantified(x int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO told (what) SELECT concat_ws(' ', x < ANY (SELECT v FROM t), x >= ALL (SELECT v FROM t WHERE v IS NOT NULL),
    x = ALL (SELECT v FROM t WHERE v > 100), x <> ANY (SELECT v FROM t WHERE id < 3), x > ALL (ARRAY[1, 2]),
    x <= ALL (ARRAY[1, NULL]), x = ALL ('{10,10}'::int[]), x != ANY ('{10}'::int[]));
  INSERT INTO told (what) SELECT concat_ws(' ', x BETWEEN SYMMETRIC 15 AND 5, x NOT BETWEEN SYMMETRIC 15 AND 5,
    NULL BETWEEN SYMMETRIC 1 AND x);
  INSERT INTO told (what) SELECT concat_ws(' ', s SIMILAR TO '(o|t)%', s NOT SIMILAR TO '_n_', s SIMILAR TO 'o[m-o]e',
    s LIKE ANY (ARRAY['x%', 'o%']), s ILIKE ALL (ARRAY['%O%', '%n%']), s ~ ANY (ARRAY['^t', 'z']), s ^@ 'o') FROM t ORDER BY id;
END $$;
CREATE PROCEDURE texts(s text) LANGUAGE plpgsql AS $$
BEGIN
  CALL say(overlay(s PLACING 'XX' FROM 2 FOR 3) || overlay(s PLACING 'yyy' FROM 1));
  CALL say(quote_nullable(s) || quote_nullable(NULL::text) || bit_length(s));
  CALL say(encode(s::bytea, 'hex') || encode(s::bytea, 'base64') || encode(decode('616263', 'hex'), 'escape'));
  CALL say(encode(decode('YWJjZA==', 'base64'), 'hex') || encode(sha256(s::bytea), 'hex'));
  CALL say(encode(sha256(''::bytea), 'hex') || encode(sha256(repeat('a', 119)::bytea), 'hex'));
  CALL say(num_nonnulls(1, NULL, s) || current_schema());
END $$;
CREATE PROCEDURE numbers() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO told (what) SELECT to_char(n, f) FROM (VALUES (0), (5), (-5), (1234.567), (-0.5), (0.05), (99999), (1000000), (12345678.9)) AS a (n),
    (VALUES ('9'), ('999'), ('000'), ('FM000'), ('9,999'), ('FM9,999,999.00'), ('999.99'), ('FM999.99'), ('0.00'), ('FM0.0'), ('9990.09'), ('FM99G999D9')) AS b (f) ORDER BY n, f;
  INSERT INTO told (what) SELECT to_char(5, '00009') || to_char(42::bigint, 'FM00000') || to_char(1.5::float8, '9.99');
  CALL say(concat_ws(' ', gcd(12, 18), lcm(4, 6), gcd(0, 5), 2 ^ 10, |/ 16, ||/ 27, log(1000), cbrt(8.0)));
  CALL say(concat_ws(' ', sin(1), cos(1), tan(1), asin(0.5), acos(0.5), atan(1), atan2(1, 2), degrees(1), radians(180), pi()));
END $$;
CREATE PROCEDURE times() LANGUAGE plpgsql AS $$
BEGIN
  CALL say(concat_ws(' ', date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01'),
    date_bin('2 days', timestamp '1999-02-11 15:44:17', timestamp '2001-01-01'),
    make_timestamp(2020, 2, 29, 13, 5, 7.25), make_time(8, 15, 23.5), make_timestamptz(2013, 7, 15, 8, 15, 23.5),
    justify_hours(interval '50 hours'), justify_hours(interval '2 days -30 hours')));
  BEGIN PERFORM make_timestamp(2021, 2, 29, 0, 0, 0); EXCEPTION WHEN OTHERS THEN CALL say(SQLSTATE); END;
  BEGIN PERFORM date_bin('1 month', timestamp '2020-01-01', timestamp '2020-01-01'); EXCEPTION WHEN OTHERS THEN CALL say(SQLSTATE); END;
END $$;
CREATE PROCEDURE jsons() LANGUAGE plpgsql AS $$
DECLARE j jsonb := '{"a": {"b": [1, {"c": null}], "d": null}, "e": "f"}';
BEGIN
  CALL say(jsonb_pretty(j) || jsonb_pretty('[]') || jsonb_pretty('[1, {}]'));
  CALL say(jsonb_set(j, '{a,b,1,c}', '7')::text || jsonb_set(j, '{a,x}', '[]') || jsonb_set(j, '{a,x}', '[]', false));
  CALL say(jsonb_set(j, '{a,b,9}', '1')::text || jsonb_set(j, '{a,b,-9}', '1') || jsonb_set(j, '{q,r}', '1'));
  CALL say(jsonb_strip_nulls(j)::text || (j #- '{a,b,0}') || (j #- '{a,d}') || (j #- '{z}'));
  CALL say(concat_ws(' ', j ?| ARRAY['x', 'e'], j ?& ARRAY['a', 'e'], j ?& ARRAY['a', 'x'], '["a"]'::jsonb ?| ARRAY['a'], jsonb_exists(j, 'e')));
  CALL say(concat_ws(' ', jsonb_extract_path_text(j, 'a', 'b', '0'), jsonb_extract_path(j, 'a', 'b'), '[1, 2, 3]'::jsonb - 1, '[1]'::jsonb - 5, j - ARRAY['a', 'q']));
  BEGIN PERFORM jsonb_set(j, '{a,b,x}', '1'); EXCEPTION WHEN OTHERS THEN CALL say(SQLSTATE || SQLERRM); END;
  BEGIN PERFORM jsonb_set('1', '{a}', '1'); EXCEPTION WHEN OTHERS THEN CALL say(SQLSTATE); END;
END $$;
CREATE PROCEDURE arrays() LANGUAGE plpgsql AS $$
BEGIN
  CALL say(concat_ws(' ', array_positions(ARRAY[1, 2, 1, NULL], 1), array_positions(ARRAY[1, NULL], NULL), array_replace(ARRAY[1, 2, 1], 1, 9),
    array_upper(ARRAY[5, 6], 1), array_lower(ARRAY[5, 6], 1), array_lower('{}'::int[], 1), array_fill(7, ARRAY[3]), array_to_string(ARRAY['a', NULL, 'b'], ',', '*'), array_to_json(ARRAY[1, 2])));
END $$;
--@ session a: CALL quantified(10); CALL quantified(20); CALL quantified(NULL);
--@ session b: CALL texts('abcdef'); CALL texts('hé'); CALL numbers(); CALL times(); CALL jsons(); CALL arrays();
