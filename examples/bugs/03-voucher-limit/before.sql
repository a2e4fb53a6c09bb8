-- saleor, issue 544.
-- The limit is checked, and the count is raised later.
-- Both see one use left.
CREATE TABLE voucher (id int PRIMARY KEY, used int NOT NULL,
  usage_limit int NOT NULL);
INSERT INTO voucher VALUES (1, 2, 3);

CREATE PROCEDURE redeem(p_voucher int) LANGUAGE plpgsql AS $$
DECLARE v_left int;
BEGIN
  SELECT usage_limit - used INTO v_left FROM voucher WHERE id = p_voucher;
  IF v_left > 0 THEN
    UPDATE voucher SET used = used + 1 WHERE id = p_voucher;
  END IF;
END $$;

--@ invariant within_limit: (SELECT count(*) FROM voucher WHERE used > usage_limit) = 0
