-- An auction site: people register, offer, buy at once, comment and browse.
CREATE TABLE users (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  nick   varchar(20) NOT NULL UNIQUE,
  rating integer NOT NULL
);
CREATE TABLE items (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     varchar(40) NOT NULL,
  seller   bigint NOT NULL,
  category integer NOT NULL,
  price    integer NOT NULL,
  quantity integer NOT NULL
);
CREATE TABLE purchases (
  id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item  bigint NOT NULL,
  buyer bigint NOT NULL,
  qty   integer NOT NULL
);
CREATE TABLE comments (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  writer bigint NOT NULL,
  about  bigint NOT NULL,
  item   bigint NOT NULL,
  points integer NOT NULL,
  body   varchar(200) NOT NULL
);
CREATE INDEX items_by_category ON items (category);

CREATE PROCEDURE register_user(p_nick varchar) LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
  v_id    bigint;
BEGIN
  SELECT count(*) INTO v_count FROM users WHERE nick = p_nick;
  IF v_count = 0 THEN
    INSERT INTO users (nick, rating) VALUES (p_nick, 0) RETURNING id INTO v_id;
  END IF;
END;
$$;

CREATE PROCEDURE register_item(p_name varchar, p_seller bigint,
                               p_category integer, p_price integer,
                               p_quantity integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_id bigint;
BEGIN
  INSERT INTO items (name, seller, category, price, quantity)
    VALUES (p_name, p_seller, p_category, p_price, p_quantity)
    RETURNING id INTO v_id;
END;
$$;

CREATE PROCEDURE store_buy_now(p_item bigint, p_buyer bigint, p_qty integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_left integer;
  v_id   bigint;
BEGIN
  SELECT quantity INTO v_left FROM items WHERE id = p_item;
  IF v_left >= p_qty THEN
    UPDATE items SET quantity = v_left - p_qty WHERE id = p_item;
    INSERT INTO purchases (item, buyer, qty) VALUES (p_item, p_buyer, p_qty)
      RETURNING id INTO v_id;
  ELSE
    -- Somebody puts more of them on the shelf.
    UPDATE items SET quantity = quantity + 10 WHERE id = p_item;
  END IF;
END;
$$;

CREATE PROCEDURE store_comment(p_writer bigint, p_about bigint, p_item bigint,
                               p_points integer, p_body varchar)
LANGUAGE plpgsql AS $$
DECLARE
  v_rating integer;
  v_id     bigint;
BEGIN
  SELECT rating INTO v_rating FROM users WHERE id = p_about;
  UPDATE users SET rating = v_rating + p_points WHERE id = p_about;
  INSERT INTO comments (writer, about, item, points, body)
    VALUES (p_writer, p_about, p_item, p_points, p_body)
    RETURNING id INTO v_id;
END;
$$;

CREATE PROCEDURE random_browse(p_category integer, p_user bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_item   record;
  v_rating integer;
  v_shown  integer := 0;
BEGIN
  SELECT rating INTO v_rating FROM users WHERE id = p_user;
  FOR v_item IN
    SELECT id, name, price, quantity FROM items WHERE category = p_category
      ORDER BY id DESC LIMIT 20
  LOOP
    v_shown := v_shown + 1;
  END LOOP;
END;
$$;

--@ session anyone: CALL random_browse(1, 1);
