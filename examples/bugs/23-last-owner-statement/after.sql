-- nakama by ahmadrosid, issue 479.
-- An owner may leave if there is another one.
-- The proposed fix, one statement, is right on SQLite. PostgreSQL runs two
-- such statements side by side, and both count two owners.
CREATE TABLE member (id int PRIMARY KEY, organization int NOT NULL,
  role text NOT NULL);
INSERT INTO member VALUES (1, 1, 'owner'), (2, 1, 'owner');

CREATE PROCEDURE leave(p_member int, p_organization int) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM member WHERE id = p_member AND
    (SELECT count(*) FROM member
      WHERE organization = p_organization AND role = 'owner') > 1;
END $$;

--@ invariant has_owner: (SELECT count(*) FROM member WHERE role = 'owner') >= 1
