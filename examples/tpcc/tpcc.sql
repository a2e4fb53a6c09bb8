-- TPC-C's five transactions on one warehouse with one district, reduced to the
-- columns that they compute with.
CREATE TABLE warehouse (
  w_id  integer PRIMARY KEY,
  w_ytd numeric(12,2) NOT NULL
);
CREATE TABLE district (
  d_w_id      integer NOT NULL REFERENCES warehouse (w_id),
  d_id        integer NOT NULL,
  d_ytd       numeric(12,2) NOT NULL,
  d_next_o_id integer NOT NULL,
  PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
  c_id      integer PRIMARY KEY,
  c_first   varchar(16) NOT NULL,
  c_last    varchar(16) NOT NULL,
  c_balance numeric(12,2) NOT NULL
);
CREATE TABLE history (
  h_c_id   integer NOT NULL REFERENCES customer (c_id),
  h_amount numeric(6,2) NOT NULL
);
CREATE TABLE item (
  i_id    integer PRIMARY KEY,
  i_price numeric(5,2) NOT NULL
);
CREATE TABLE stock (
  s_i_id     integer PRIMARY KEY REFERENCES item (i_id),
  s_quantity integer NOT NULL
);
CREATE TABLE orders (
  o_id         integer PRIMARY KEY,
  o_c_id       integer NOT NULL REFERENCES customer (c_id),
  o_carrier_id integer,
  o_ol_cnt     integer NOT NULL
);
CREATE TABLE new_order (
  no_o_id integer PRIMARY KEY REFERENCES orders (o_id)
);
CREATE TABLE order_line (
  ol_o_id   integer NOT NULL REFERENCES orders (o_id),
  ol_number integer NOT NULL,
  ol_i_id   integer NOT NULL REFERENCES item (i_id),
  ol_amount numeric(6,2) NOT NULL,
  PRIMARY KEY (ol_o_id, ol_number)
);
INSERT INTO warehouse VALUES (1, 0.00);
INSERT INTO district VALUES (1, 1, 0.00, 2);
INSERT INTO customer VALUES (1, 'Ada', 'BAR', 0.00), (2, 'Bob', 'BAR', 0.00);
INSERT INTO item VALUES (1, 2.50), (2, 4.00);
INSERT INTO stock VALUES (1, 12), (2, 30);
INSERT INTO orders VALUES (1, 1, NULL, 1);
INSERT INTO order_line VALUES (1, 1, 2, 8.00);
INSERT INTO new_order VALUES (1);

-- An order of `p_lines` lines, of items 1, 2, ...
CREATE PROCEDURE new_order(p_customer integer, p_lines integer,
                           p_quantity integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_o_id     integer;
  v_price    numeric(5,2);
  v_quantity integer;
BEGIN
  SELECT d_next_o_id INTO v_o_id FROM district
    WHERE d_w_id = 1 AND d_id = 1 FOR UPDATE;
  UPDATE district SET d_next_o_id = v_o_id + 1
    WHERE d_w_id = 1 AND d_id = 1;
  INSERT INTO orders VALUES (v_o_id, p_customer, NULL, p_lines);
  INSERT INTO new_order VALUES (v_o_id);
  FOR v_line IN 1..p_lines LOOP
    SELECT i.i_price, s.s_quantity INTO v_price, v_quantity
      FROM item i JOIN stock s ON s.s_i_id = i.i_id WHERE i.i_id = v_line;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'item % is not valid', v_line;
    END IF;
    IF v_quantity < p_quantity + 10 THEN
      v_quantity := v_quantity + 91;
    END IF;
    UPDATE stock SET s_quantity = v_quantity - p_quantity
      WHERE s_i_id = v_line;
    INSERT INTO order_line
      VALUES (v_o_id, v_line, v_line, v_price * p_quantity);
  END LOOP;
END;
$$;

-- The customer is named by last name: the middle one by first name, rounded up.
CREATE PROCEDURE payment(p_last varchar, p_amount numeric)
LANGUAGE plpgsql AS $$
DECLARE
  c_by_name CURSOR FOR
    SELECT c_id FROM customer WHERE c_last = p_last ORDER BY c_first;
  v_count integer;
  v_c_id  integer;
BEGIN
  UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = 1;
  UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = 1 AND d_id = 1;
  SELECT count(*) INTO v_count FROM customer WHERE c_last = p_last;
  OPEN c_by_name;
  FOR i IN 1..(v_count + 1) / 2 LOOP
    FETCH c_by_name INTO v_c_id;
  END LOOP;
  CLOSE c_by_name;
  UPDATE customer SET c_balance = c_balance - p_amount WHERE c_id = v_c_id;
  INSERT INTO history VALUES (v_c_id, p_amount);
END;
$$;

CREATE PROCEDURE order_status(p_customer integer) LANGUAGE plpgsql AS $$
DECLARE
  v_balance numeric(12,2);
  v_o_id    integer;
  v_carrier integer;
  v_lines   integer := 0;
  v_line    record;
BEGIN
  SELECT c_balance INTO v_balance FROM customer WHERE c_id = p_customer;
  SELECT o_id, o_carrier_id INTO v_o_id, v_carrier FROM orders
    WHERE o_c_id = p_customer ORDER BY o_id DESC LIMIT 1;
  FOR v_line IN SELECT ol_i_id, ol_amount FROM order_line
                WHERE ol_o_id = v_o_id ORDER BY ol_number LOOP
    v_lines := v_lines + 1;
  END LOOP;
END;
$$;

-- Delivers the oldest order that is not delivered yet.
CREATE PROCEDURE delivery(p_carrier integer) LANGUAGE plpgsql AS $$
DECLARE
  v_o_id   integer;
  v_c_id   integer;
  v_amount numeric(12,2);
BEGIN
  SELECT min(no_o_id) INTO v_o_id FROM new_order;
  IF v_o_id IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM new_order WHERE no_o_id = v_o_id;
  UPDATE orders SET o_carrier_id = p_carrier WHERE o_id = v_o_id
    RETURNING o_c_id INTO v_c_id;
  SELECT sum(ol_amount) INTO v_amount FROM order_line WHERE ol_o_id = v_o_id;
  UPDATE customer SET c_balance = c_balance + v_amount WHERE c_id = v_c_id;
END;
$$;

CREATE PROCEDURE stock_level(p_threshold integer) LANGUAGE plpgsql AS $$
DECLARE
  v_next integer;
  v_low  integer;
BEGIN
  SELECT d_next_o_id INTO v_next FROM district WHERE d_w_id = 1 AND d_id = 1;
  SELECT count(DISTINCT ol.ol_i_id) INTO v_low
    FROM order_line ol JOIN stock s ON s.s_i_id = ol.ol_i_id
    WHERE ol.ol_o_id BETWEEN v_next - 20 AND v_next - 1
      AND s.s_quantity < p_threshold;
END;
$$;

--@ session terminal_1: CALL payment('BAR', 5.00); CALL delivery(7);
--@ session terminal_2: CALL new_order(2, 1, 4); CALL delivery(8);
--@ invariant ytd_agrees: (SELECT sum(w_ytd) FROM warehouse) = (SELECT sum(d_ytd) FROM district)
--@ invariant orders_numbered: (SELECT d_next_o_id - 1 FROM district) = (SELECT max(o_id) FROM orders)
--@ invariant lines_complete: (SELECT sum(o_ol_cnt) FROM orders) = (SELECT count(*) FROM order_line)
--@ invariant balances_right: NOT EXISTS (SELECT 1 FROM customer c WHERE c.c_balance <> (SELECT coalesce(sum(ol.ol_amount), 0) FROM orders o JOIN order_line ol ON ol.ol_o_id = o.o_id WHERE o.o_c_id = c.c_id AND o.o_carrier_id IS NOT NULL) - (SELECT coalesce(sum(h.h_amount), 0) FROM history h WHERE h.h_c_id = c.c_id))
