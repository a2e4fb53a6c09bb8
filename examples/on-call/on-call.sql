-- Doctors on call: in every department at least one must stay.
CREATE TABLE departments (
  name    varchar(20) PRIMARY KEY,
  minimum integer NOT NULL DEFAULT 1
);
CREATE TABLE doctors (
  name       varchar(20) PRIMARY KEY,
  department varchar(20) NOT NULL REFERENCES departments (name),
  on_call    boolean NOT NULL DEFAULT false
);
INSERT INTO departments (name) VALUES ('surgery'), ('eyes');
INSERT INTO doctors VALUES
  ('ann', 'surgery', true), ('ben', 'surgery', true),
  ('cem', 'surgery', false), ('eva', 'eyes', true);

CREATE PROCEDURE go_off_call(p_name varchar) LANGUAGE plpgsql AS $$
DECLARE
  v_others integer;
BEGIN
  SELECT count(*) INTO v_others
    FROM doctors me
    JOIN doctors other ON other.department = me.department
    WHERE me.name = p_name AND other.name <> p_name AND other.on_call;
  IF v_others < 1 THEN
    RAISE EXCEPTION '% is the last one on call', p_name;
  END IF;
  UPDATE doctors SET on_call = false WHERE name = p_name;
END;
$$;

CREATE PROCEDURE go_on_call(p_name varchar) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE doctors SET on_call = true WHERE name = p_name;
END;
$$;

--@ session ann: CALL go_off_call('ann');
--@ session ben: CALL go_off_call('ben');
--@ session eva: CALL go_off_call('eva');
--@ invariant eyes_covered: EXISTS (SELECT 1 FROM doctors WHERE department = 'eyes' AND on_call)
--@ invariant surgery_covered: (SELECT count(*) FROM doctors WHERE department = 'surgery' AND on_call) >= 1
