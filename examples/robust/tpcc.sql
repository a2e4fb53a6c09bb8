-- TPC-C's five transactions, with the columns that they compute with.
-- Delivery takes the oldest order: a newer one does not change its minimum.
CREATE TABLE warehouse (
  w_id  integer PRIMARY KEY,
  w_tax integer NOT NULL,
  w_ytd integer NOT NULL
);
CREATE TABLE district (
  d_w_id      integer NOT NULL,
  d_id        integer NOT NULL,
  d_tax       integer NOT NULL,
  d_ytd       integer NOT NULL,
  d_next_o_id integer NOT NULL,
  PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
  c_w_id     integer NOT NULL,
  c_d_id     integer NOT NULL,
  c_id       integer NOT NULL,
  c_discount integer NOT NULL,
  c_balance  integer NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE TABLE stock (
  s_w_id     integer NOT NULL,
  s_i_id     integer NOT NULL,
  s_quantity integer NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id)
);
CREATE TABLE orders (
  o_w_id       integer NOT NULL,
  o_d_id       integer NOT NULL,
  o_id         integer NOT NULL,
  o_c_id       integer NOT NULL,
  o_carrier_id integer,
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
  ol_amount integer NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
INSERT INTO warehouse VALUES (1, 1, 0);
INSERT INTO district VALUES (1, 1, 2, 0, 2);
INSERT INTO customer VALUES (1, 1, 1, 3, 0);
INSERT INTO stock VALUES (1, 1, 20);
INSERT INTO orders VALUES (1, 1, 1, 1, NULL);
INSERT INTO new_order VALUES (1, 1, 1);
INSERT INTO order_line VALUES (1, 1, 1, 1, 1, 8);

CREATE PROCEDURE new_order(p_w integer, p_d integer, p_c integer,
                           p_lines integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_tax      integer;
  v_discount integer;
  v_o_id     integer;
  v_quantity integer;
BEGIN
  SELECT w_tax INTO v_tax FROM warehouse WHERE w_id = p_w;
  SELECT c_discount INTO v_discount FROM customer
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
  SELECT d_next_o_id INTO v_o_id FROM district
    WHERE d_w_id = p_w AND d_id = p_d;
  UPDATE district SET d_next_o_id = v_o_id + 1
    WHERE d_w_id = p_w AND d_id = p_d;
  INSERT INTO orders VALUES (p_w, p_d, v_o_id, p_c, NULL);
  INSERT INTO new_order VALUES (p_w, p_d, v_o_id);
  FOR v_line IN 1..p_lines LOOP
    SELECT s_quantity INTO v_quantity FROM stock
      WHERE s_w_id = p_w AND s_i_id = v_line;
    UPDATE stock SET s_quantity = v_quantity - 1
      WHERE s_w_id = p_w AND s_i_id = v_line;
    INSERT INTO order_line
      VALUES (p_w, p_d, v_o_id, v_line, v_line, 4 * v_discount);
  END LOOP;
END $$;

CREATE PROCEDURE payment(p_w integer, p_d integer, p_c integer,
                         p_amount integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w;
  UPDATE district SET d_ytd = d_ytd + p_amount
    WHERE d_w_id = p_w AND d_id = p_d;
  UPDATE customer SET c_balance = c_balance - p_amount
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
END $$;

CREATE PROCEDURE order_status(p_w integer, p_d integer, p_c integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_balance integer;
  v_o_id    integer;
  v_amount  integer;
BEGIN
  SELECT c_balance INTO v_balance FROM customer
    WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
  SELECT max(o_id) INTO v_o_id FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = p_c;
  SELECT sum(ol_amount) INTO v_amount FROM order_line
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o_id;
END $$;

CREATE PROCEDURE delivery(p_w integer, p_d integer, p_carrier integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_o_id   integer;
  v_c_id   integer;
  v_amount integer;
BEGIN
  SELECT min(no_o_id) INTO v_o_id FROM new_order
    WHERE no_w_id = p_w AND no_d_id = p_d;
  IF v_o_id IS NOT NULL THEN
    DELETE FROM new_order
      WHERE no_w_id = p_w AND no_d_id = p_d AND no_o_id = v_o_id;
    SELECT o_c_id INTO v_c_id FROM orders
      WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_o_id;
    UPDATE orders SET o_carrier_id = p_carrier
      WHERE o_w_id = p_w AND o_d_id = p_d AND o_id = v_o_id;
    SELECT sum(ol_amount) INTO v_amount FROM order_line
      WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_o_id;
    UPDATE customer SET c_balance = c_balance + v_amount
      WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = v_c_id;
  END IF;
END $$;

CREATE PROCEDURE stock_level(p_w integer, p_least integer)
LANGUAGE plpgsql AS $$
DECLARE v_low integer;
BEGIN
  SELECT count(*) INTO v_low FROM stock
    WHERE s_w_id = p_w AND s_quantity < p_least;
END $$;

--@ session ann: CALL new_order(1, 1, 1, 1);
--@ session ben: CALL payment(1, 1, 1, 10);
--@ session eve: CALL order_status(1, 1, 1);
