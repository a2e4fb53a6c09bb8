-- prisma, issues 8612, 10207 and 9798.
-- An update with a version in its WHERE is sent as two statements,
-- and the second has lost the version.
-- The version stays in the WHERE of the UPDATE.
CREATE TABLE seat (id int PRIMARY KEY, owner text, version int NOT NULL);
INSERT INTO seat VALUES (1, NULL, 0);

CREATE PROCEDURE claim(p_seat int, p_version int, p_owner text) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE seat SET owner = p_owner, version = version + 1
    WHERE id = p_seat AND version = p_version;
END $$;
