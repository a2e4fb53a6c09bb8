-- saleor, issue 544.
-- The limit is checked, and the count is raised later.
-- Check and count in one statement.
CREATE TABLE voucher (id int PRIMARY KEY, used int NOT NULL,
  usage_limit int NOT NULL);
INSERT INTO voucher VALUES (1, 2, 3);

CREATE PROCEDURE redeem(p_voucher int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE voucher SET used = used + 1
    WHERE id = p_voucher AND used < usage_limit;
END $$;

--@ invariant within_limit: (SELECT count(*) FROM voucher WHERE used > usage_limit) = 0
