CREATE TABLE product (id int PRIMARY KEY, quantity int NOT NULL);
INSERT INTO product VALUES (1, 5);
