CREATE TABLE inbox (id int PRIMARY KEY, t text);
CREATE TABLE archive (id int, t text, who text);
INSERT INTO inbox VALUES (1,'x'),(2,'y');