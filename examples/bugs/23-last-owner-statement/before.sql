-- nakama by ahmadrosid, issue 479.
-- An owner may leave if there is another one.
-- Two owners leave at once.
CREATE TABLE member (id int PRIMARY KEY, organization int NOT NULL,
  role text NOT NULL);
INSERT INTO member VALUES (1, 1, 'owner'), (2, 1, 'owner');

CREATE PROCEDURE leave(p_member int, p_organization int) LANGUAGE plpgsql AS $$
DECLARE v_owners int;
BEGIN
  SELECT count(*) INTO v_owners FROM member
    WHERE organization = p_organization AND role = 'owner';
  IF v_owners > 1 THEN
    DELETE FROM member WHERE id = p_member;
  END IF;
END $$;

--@ invariant has_owner: (SELECT count(*) FROM member WHERE role = 'owner') >= 1
