-- Queries of every form that is read, each a transaction of its own.
CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL, boss int REFERENCES people (id), born date, pay numeric(8,2), grade smallint, seen timestamp, active boolean DEFAULT true);
CREATE TABLE jobs (id bigserial PRIMARY KEY, person int NOT NULL REFERENCES people, title varchar(30) NOT NULL, hours int CHECK (hours > 0), UNIQUE (person, title));
INSERT INTO people (id, name, boss, born, pay, grade, seen) VALUES (1, 'ann', NULL, '1970-01-31', 100, 1, '2024-01-01 10:00'), (2, 'ben', 1, DATE '1980-02-29', 90.5, 2, TIMESTAMP '2024-01-01 10:00:00.5'), (3, 'eva', 1, NULL, NULL, 2, NULL);
INSERT INTO jobs (person, title, hours) VALUES (1, 'lead', 10), (2, 'cook', 20), (2, 'waiter', NULL);

--@ session a: SELECT * FROM people;
--@   SELECT p.*, j.title FROM people p JOIN jobs j ON j.person = p.id WHERE p.id <> 3 ORDER BY j.id DESC, p.name LIMIT 2 OFFSET 1;
--@   SELECT p.name AS who, count(*), sum(hours), avg(hours), min(title), max(title) FROM people p LEFT JOIN jobs j ON j.person = p.id GROUP BY p.name HAVING count(*) > 0 ORDER BY who;
--@   SELECT p.name, p.pay FROM people p GROUP BY p.id;
--@   SELECT pay * 2 AS x, pay * 2 + 1 FROM people GROUP BY pay * 2;
--@   SELECT grade + 1, count(DISTINCT boss) FROM people GROUP BY 1 ORDER BY 2 DESC NULLS LAST;
--@   SELECT x FROM (SELECT id AS x, name FROM people WHERE active) s WHERE x IN (1, 2, 3) AND name NOT IN ('a', 'b');
--@   SELECT DISTINCT grade FROM people ORDER BY grade;
--@   SELECT (SELECT max(hours) FROM jobs j WHERE j.person = p.id) AS h FROM people p WHERE EXISTS (SELECT 1 FROM jobs j WHERE j.person = p.id AND j.hours > p.grade) ORDER BY 1;
--@   SELECT id FROM people WHERE (id, grade) IN (SELECT person, 2 FROM jobs) AND (id, name) = (2, 'ben');
--@   SELECT id FROM people WHERE boss IS NOT DISTINCT FROM NULL OR born IS NULL AND NOT active IS TRUE;
--@   SELECT CASE WHEN pay > 95 THEN 'much' WHEN pay IS NULL THEN NULL ELSE 'less' END, CASE grade WHEN 1 THEN 'a' ELSE 'b' END FROM people;
--@   SELECT coalesce(pay, 0), nullif(grade, 2), greatest(pay, 5, grade), least('a', name) FROM people;
--@   SELECT id FROM people WHERE name LIKE 'a%' OR name NOT LIKE '%n' OR lower(name) || upper('x') = 'annX' OR length(name) = 3;
--@   SELECT id FROM people WHERE born BETWEEN '1970-01-01' AND '1990-12-31' AND born + 1 > DATE '1970-01-01' AND born - DATE '1970-01-01' < 5000;
--@   SELECT id FROM people WHERE seen >= '2024-01-01' AND pay / 3 > 1.25 AND id % 2 = 1 AND -grade < 0 AND abs(grade) = mod(7, 3);
--@   SELECT round(pay / 3, 2), floor(pay), ceil(pay), round(pay), pay::int, '5'::smallint, CAST(grade AS text) FROM people;
--@   SELECT a.id, b.id FROM people a, people b WHERE a.id < b.id;
--@   SELECT p.id FROM people p RIGHT JOIN jobs j ON j.person = p.id;
--@   SELECT p.id, j.title, q.name FROM people p JOIN (jobs j JOIN people q ON q.id = j.person) ON p.id = q.id;
--@   SELECT * FROM people CROSS JOIN jobs WHERE people.id = person;
--@   SELECT title FROM people JOIN jobs USING (id) WHERE id = 1;
--@   SELECT every(active), bool_or(hours > 3), count(hours) FROM people, jobs;
--@   SELECT 1, 'x', NULL, true, 1.5, -7, 3000000000, 1e3, (SELECT max(id) FROM people), (SELECT 5 AS five), CASE WHEN true THEN 1 ELSE nullif(1, 2) END, CASE WHEN true THEN 1 END::text, CASE WHEN true THEN 1 ELSE 2::int END, NOT true, 1 IN (1, 2), NULL IS NULL, (SELECT 1);
--@ session b: BEGIN;
--@   SELECT * FROM people WHERE id = 1 FOR UPDATE;
--@   SELECT * FROM people WHERE id = 1 FOR NO KEY UPDATE NOWAIT;
--@   SELECT p.id FROM people p LEFT JOIN jobs j ON j.person = p.id ORDER BY p.id LIMIT 1 FOR SHARE OF p;
--@   SELECT id FROM jobs FOR KEY SHARE;
--@   INSERT INTO jobs (person, title) VALUES (1, 'cook') ON CONFLICT DO NOTHING RETURNING id, title;
--@   INSERT INTO jobs (person, title, hours) SELECT id, name, grade FROM people WHERE id > 1 ON CONFLICT (title, person) DO UPDATE SET hours = jobs.hours + EXCLUDED.hours;
--@   ROLLBACK;
--@ session c: BEGIN;
--@   INSERT INTO jobs AS k (person, title, hours) VALUES (1, 'x', 1), (2, 'y', DEFAULT) ON CONFLICT ON CONSTRAINT jobs_person_title_key DO UPDATE SET hours = EXCLUDED.hours + k.hours WHERE k.hours IS NOT NULL RETURNING *;
--@   UPDATE people AS p SET pay = p.pay * 1.1, grade = DEFAULT, (name, boss) = (name || '!', NULL) WHERE p.id IN (SELECT person FROM jobs) RETURNING p.id, p.*;
--@   UPDATE people SET pay = (SELECT sum(hours) FROM jobs WHERE person = people.id);
--@   DELETE FROM jobs j WHERE j.hours > (SELECT avg(hours) FROM jobs) RETURNING j.id + 1 AS next;
--@   DELETE FROM jobs;
--@   COMMIT;
--@ invariant paid: (SELECT bool_and(coalesce(pay, 0) >= 0) FROM people)
--@ assert nothing: (SELECT count(*) FROM jobs) >= 0
