-- superset, issue 4295; vendo, issue 281; formbricks, pull request 8943;
-- langfuse, pull request 13530.
-- An owner may leave if there is another one.
-- One lock per organization.
CREATE TABLE organization (id int PRIMARY KEY);
CREATE TABLE member (id int PRIMARY KEY, organization int NOT NULL,
  role text NOT NULL);
INSERT INTO organization VALUES (1);
INSERT INTO member VALUES (1, 1, 'owner'), (2, 1, 'owner');

CREATE PROCEDURE leave(p_member int, p_organization int) LANGUAGE plpgsql AS $$
DECLARE v_owners int;
BEGIN
  PERFORM 1 FROM organization WHERE id = p_organization FOR UPDATE;
  SELECT count(*) INTO v_owners FROM member
    WHERE organization = p_organization AND role = 'owner';
  IF v_owners > 1 THEN
    DELETE FROM member WHERE id = p_member AND organization = p_organization;
  END IF;
END $$;

--@ invariant has_owner: (SELECT count(*) FROM member WHERE role = 'owner') >= 1
