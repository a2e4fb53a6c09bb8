-- woocommerce, issue 13505: 1,500 uses of a coupon counted 700.
-- The count is read, and written back one higher.
-- The published fix: one UPDATE.
CREATE TABLE coupon_meta (coupon int PRIMARY KEY, usage_count int NOT NULL);
INSERT INTO coupon_meta VALUES (1, 0);

CREATE PROCEDURE increase_usage(p_coupon int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE coupon_meta SET usage_count = usage_count + 1 WHERE coupon = p_coupon;
END $$;
