-- Things of one name in two schemas: what the search path finds first.
CREATE SCHEMA shop;
CREATE SCHEMA old;
CREATE TYPE shop.state AS ENUM ('open', 'done');
CREATE TYPE old.state AS ENUM ('x');
CREATE TABLE shop.orders (id serial PRIMARY KEY, n int, s shop.state DEFAULT 'open');
CREATE TABLE old.orders (id serial PRIMARY KEY, was int REFERENCES shop.orders, s old.state);
CREATE TABLE told (at serial PRIMARY KEY, what text);
CREATE SEQUENCE shop.numbers START 10;
CREATE SEQUENCE old.numbers START 100;
INSERT INTO shop.orders (n) VALUES (1), (2);
SET search_path TO old, public;
INSERT INTO orders (was, s) VALUES (1, 'x');
SELECT setval('numbers', 200);
CREATE TABLE public.lines (id int PRIMARY KEY, o int REFERENCES orders);
INSERT INTO lines VALUES (1, 1);
SET search_path TO shop, public;
CREATE FUNCTION name() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'shop' $$;
CREATE FUNCTION old.name() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'old' $$;
CREATE VIEW public.open_orders AS SELECT id, n FROM orders WHERE s = 'open';
CREATE PROCEDURE public.move(o int) LANGUAGE plpgsql SET search_path = shop, public AS $$
DECLARE r orders%ROWTYPE; t old.orders%ROWTYPE; k state; m old.orders.was%TYPE;
BEGIN
  SELECT * INTO r FROM orders WHERE id = o;
  k := 'done';
  UPDATE orders SET s = k, n = n + nextval('numbers') WHERE id = o;
  INSERT INTO old.orders (was, s) VALUES (r.id, 'x') RETURNING * INTO t;
  INSERT INTO told (what) VALUES (name() || old.name() || t.was || nextval('old.numbers'));
END $$;
CREATE PROCEDURE public.count_them() LANGUAGE plpgsql SET search_path = old, public AS $$
BEGIN
  INSERT INTO told (what) SELECT name() || count(*) || ' ' || (SELECT count(*) FROM open_orders)
    FROM orders JOIN shop.orders new ON new.id = orders.was;
  DELETE FROM orders WHERE id > 2;
END $$;
RESET search_path;
--@ session a: CALL move(1); CALL move(2);
--@ session b: CALL count_them(); BEGIN; UPDATE old.orders SET was = 2 WHERE orders.id = 1; COMMIT;
