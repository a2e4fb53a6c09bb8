-- django-oscar, issue 2101, and again 4580.
-- A voucher that each customer may use once is looked up, then inserted.
-- Both look before either has inserted.
CREATE TABLE voucher (id int PRIMARY KEY);
CREATE TABLE voucher_use (id serial PRIMARY KEY, voucher int NOT NULL,
  customer int NOT NULL);
INSERT INTO voucher VALUES (1);

CREATE PROCEDURE use_voucher(p_voucher int, p_customer int) LANGUAGE plpgsql AS $$
DECLARE v_used int;
BEGIN
  SELECT count(*) INTO v_used FROM voucher_use
    WHERE voucher = p_voucher AND customer = p_customer;
  IF v_used = 0 THEN
    INSERT INTO voucher_use (voucher, customer) VALUES (p_voucher, p_customer);
  END IF;
END $$;

--@ invariant once: (SELECT count(*) FROM voucher_use) <= (SELECT count(DISTINCT customer) FROM voucher_use)
