-- prisma, issues 8612, 10207 and 9798.
-- An update with a version in its WHERE is sent as two statements,
-- and the second has lost the version.
-- Both find version 0, and both update.
CREATE TABLE seat (id int PRIMARY KEY, owner text, version int NOT NULL);
INSERT INTO seat VALUES (1, NULL, 0);

CREATE PROCEDURE claim(p_seat int, p_version int, p_owner text) LANGUAGE plpgsql AS $$
DECLARE v_id int;
BEGIN
  SELECT id INTO v_id FROM seat WHERE id = p_seat AND version = p_version;
  IF v_id IS NOT NULL THEN
    UPDATE seat SET owner = p_owner, version = version + 1 WHERE id = v_id;
  END IF;
END $$;
