-- django-lfs, issue 202.
-- The number of uses is read, checked and written back.
-- Two uses count as one.
CREATE TABLE voucher (id int PRIMARY KEY, used_amount int NOT NULL,
  usage_limit int NOT NULL);
INSERT INTO voucher VALUES (1, 0, 5);

CREATE PROCEDURE mark_as_used(p_voucher int) LANGUAGE plpgsql AS $$
DECLARE v_used int; v_limit int;
BEGIN
  SELECT used_amount, usage_limit INTO v_used, v_limit
    FROM voucher WHERE id = p_voucher;
  IF v_used < v_limit THEN
    UPDATE voucher SET used_amount = v_used + 1 WHERE id = p_voucher;
  END IF;
END $$;
