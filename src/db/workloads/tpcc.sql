-- TPC-C's five transactions, with the columns that they compute with; amounts
-- are in cents.
CREATE TABLE warehouse (
  w_id  integer PRIMARY KEY,
  w_ytd bigint NOT NULL
);
CREATE TABLE district (
  d_w_id      integer NOT NULL,
  d_id        integer NOT NULL,
  d_ytd       bigint NOT NULL,
  d_next_o_id integer NOT NULL,
  PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
  c_w_id         integer NOT NULL,
  c_d_id         integer NOT NULL,
  c_id           integer NOT NULL,
  c_first        varchar(16) NOT NULL,
  c_last         varchar(16) NOT NULL,
  c_balance      bigint NOT NULL,
  c_payment_cnt  integer NOT NULL,
  c_delivery_cnt integer NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE TABLE history (
  h_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  h_w_id   integer NOT NULL,
  h_d_id   integer NOT NULL,
  h_c_id   integer NOT NULL,
  h_amount integer NOT NULL
);
CREATE TABLE item (
  i_id    integer PRIMARY KEY,
  i_price integer NOT NULL
);
CREATE TABLE stock (
  s_w_id      integer NOT NULL,
  s_i_id      integer NOT NULL,
  s_quantity  integer NOT NULL,
  s_ytd       integer NOT NULL,
  s_order_cnt integer NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id)
);
CREATE TABLE orders (
  o_w_id       integer NOT NULL,
  o_d_id       integer NOT NULL,
  o_id         integer NOT NULL,
  o_c_id       integer NOT NULL,
  o_carrier_id integer,
  o_ol_cnt     integer NOT NULL,
  PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE TABLE new_order (
  no_w_id integer NOT NULL,
  no_d_id integer NOT NULL,
  no_o_id integer NOT NULL,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
CREATE TABLE order_line (
  ol_w_id   integer NOT NULL,
  ol_d_id   integer NOT NULL,
  ol_o_id   integer NOT NULL,
  ol_number integer NOT NULL,
  ol_i_id   integer NOT NULL,
  ol_qty    integer NOT NULL,
  ol_amount integer NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);

-- An order of `p_lines` lines, of item p_item and those behind it, round the
-- catalogue of p_items.
CREATE PROCEDURE make_order(p_w integer, p_d integer, p_c integer,
                            p_lines integer, p_item integer, p_items integer,
                            p_qty integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_o_id     integer;
  v_price    integer;
  v_quantity integer;
  v_item     integer := p_item;
BEGIN
  SELECT d_next_o_id INTO v_o_id FROM district
    WHERE d_w_id = p_w AND d_id = p_d FOR UPDATE;
  UPDATE district SET d_next_o_id = v_o_id + 1
    WHERE d_w_id = p_w AND d_id = p_d;
  INSERT INTO orders VALUES (p_w, p_d, v_o_id, p_c, NULL, p_lines);
  INSERT INTO new_order VALUES (p_w, p_d, v_o_id);
  FOR v_line IN 1..p_lines LOOP
    SELECT i_price INTO v_price FROM item WHERE i_id = v_item;
    SELECT s_quantity INTO v_quantity FROM stock
      WHERE s_w_id = p_w AND s_i_id = v_item;
    IF v_quantity < p_qty + 10 THEN
      v_quantity := v_quantity + 91;
    END IF;
    v_quantity := v_quantity - p_qty;
    UPDATE stock SET s_quantity = v_quantity, s_ytd = s_ytd + p_qty,
        s_order_cnt = s_order_cnt + 1
      WHERE s_w_id = p_w AND s_i_id = v_item;
    v_price := v_price * p_qty;
    INSERT INTO order_line
      VALUES (p_w, p_d, v_o_id, v_line, v_item, p_qty, v_price);
    v_item := v_item % p_items + 1;
  END LOOP;
END;
$$;

-- The customer is named by last name: the middle one by first name, rounded up.
CREATE PROCEDURE payment(p_w integer, p_d integer, p_last varchar,
                         p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  c_by_name CURSOR FOR
    SELECT c_id, c_balance FROM customer
      WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_last ORDER BY c_first;
  v_count   integer;
  v_c_id    integer;
  v_balance bigint;
  v_h_id    bigint;
BEGIN
  UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;
  UPDATE district SET d_ytd = d_ytd + p_amount
    WHERE d_w_id = p_w AND d_id = p_d;
  SELECT count(*) INTO v_count FROM customer
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_last;
  OPEN c_by_name;
  FOR i IN 1..(v_count + 1) / 2 LOOP
    FETCH c_by_name INTO v_c_id, v_balance;
  END LOOP;
  CLOSE c_by_name;
  v_balance := v_balance - p_amount;
  UPDATE customer SET c_balance = v_balance, c_payment_cnt = c_payment_cnt + 1
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = v_c_id;
  INSERT INTO history (h_w_id, h_d_id, h_c_id, h_amount)
    VALUES (p_w, p_d, v_c_id, p_amount) RETURNING h_id INTO v_h_id;
END;
$$;

CREATE PROCEDURE order_status(p_w integer, p_d integer, p_c integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_balance bigint;
  v_o_id    integer;
  v_carrier integer;
  v_lines   integer := 0;
  v_line    record;
BEGIN
  SELECT c_balance INTO v_balance FROM customer
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
  SELECT o_id, o_carrier_id INTO v_o_id, v_carrier FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = p_c
    ORDER BY o_id DESC LIMIT 1;
  IF FOUND THEN
    FOR v_line IN SELECT ol_i_id, ol_qty, ol_amount FROM order_line
        WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o_id
        ORDER BY ol_number LOOP
      v_lines := v_lines + 1;
    END LOOP;
  END IF;
END;
$$;

-- Delivers the oldest order of each district that is not delivered yet.
CREATE PROCEDURE delivery(p_w integer, p_districts integer, p_carrier integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_o_id   integer;
  v_c_id   integer;
  v_amount bigint;
BEGIN
  FOR v_d IN 1..p_districts LOOP
    SELECT min(no_o_id) INTO v_o_id FROM new_order
      WHERE no_w_id = p_w AND no_d_id = v_d;
    IF v_o_id IS NOT NULL THEN
      DELETE FROM new_order
        WHERE no_w_id = p_w AND no_d_id = v_d AND no_o_id = v_o_id;
      SELECT o_c_id INTO v_c_id FROM orders
        WHERE o_w_id = p_w AND o_d_id = v_d AND o_id = v_o_id;
      UPDATE orders SET o_carrier_id = p_carrier
        WHERE o_w_id = p_w AND o_d_id = v_d AND o_id = v_o_id;
      SELECT sum(ol_amount) INTO v_amount FROM order_line
        WHERE ol_w_id = p_w AND ol_d_id = v_d AND ol_o_id = v_o_id;
      UPDATE customer SET c_balance = c_balance + v_amount,
          c_delivery_cnt = c_delivery_cnt + 1
        WHERE c_w_id = p_w AND c_d_id = v_d AND c_id = v_c_id;
    END IF;
  END LOOP;
END;
$$;

CREATE PROCEDURE stock_level(p_w integer, p_d integer, p_threshold integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_next integer;
  v_low  integer;
BEGIN
  SELECT d_next_o_id INTO v_next FROM district
    WHERE d_w_id = p_w AND d_id = p_d;
  SELECT count(DISTINCT ol.ol_i_id) INTO v_low
    FROM order_line ol
    JOIN stock s ON s.s_w_id = ol.ol_w_id AND s.s_i_id = ol.ol_i_id
    WHERE ol.ol_w_id = p_w AND ol.ol_d_id = p_d
      AND ol.ol_o_id BETWEEN v_next - 20 AND v_next - 1
      AND s.s_quantity < p_threshold;
END;
$$;

--@ session anyone: CALL stock_level(1, 1, 10);
