-- A handler of a trigger catches what its statements meet: at MariaDB's levels
-- it knew only the numbers of other products, and every INSERT failed.
CREATE TABLE `seen` (id INT PRIMARY KEY) ENGINE=InnoDB;
CREATE TABLE `visits` (id INT PRIMARY KEY AUTO_INCREMENT, who INT) ENGINE=InnoDB;
INSERT INTO seen VALUES (1);
DELIMITER $$
CREATE TRIGGER once AFTER INSERT ON visits FOR EACH ROW
BEGIN
  DECLARE CONTINUE HANDLER FOR 1062 BEGIN END;
  INSERT INTO seen VALUES (NEW.who);
END$$
DELIMITER ;
--@ session a: INSERT INTO visits (who) VALUES (1);
--@ session b: INSERT INTO visits (who) VALUES (2);
--@ session c: INSERT INTO visits (who) VALUES (2);
--@ invariant all_came: (SELECT COUNT(*) FROM visits) = 3 AND (SELECT COUNT(*) FROM seen) = 2
