-- MySQL dump of a wallet: two people pay out of one balance.
-- Loads with the client of MySQL or MariaDB as it is:  mariadb test < wallet.mysql.sql

/*!40101 SET NAMES utf8mb4 */;

DROP TABLE IF EXISTS `wallets`;
CREATE TABLE `wallets` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `owner` varchar(40) NOT NULL,
  `balance` decimal(10,2) NOT NULL DEFAULT '0.00',
  PRIMARY KEY (`id`),
  UNIQUE KEY `one_wallet` (`owner`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4;

CREATE TABLE `payments` (
  `id` int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `wallet_id` int(11) NOT NULL,
  `amount` decimal(10,2) NOT NULL,
  KEY `by_wallet` (`wallet_id`),
  CONSTRAINT `fk_wallet` FOREIGN KEY (`wallet_id`) REFERENCES `wallets` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

LOCK TABLES `wallets` WRITE;
INSERT INTO `wallets` VALUES (1,'ann',100.00),(2,'ben',20.00);
UNLOCK TABLES;

DELIMITER $$

CREATE PROCEDURE pay(IN p_wallet INT, IN p_amount DECIMAL(10,2))
BEGIN
  DECLARE v_balance DECIMAL(10,2);
  START TRANSACTION;
  SELECT balance INTO v_balance FROM wallets WHERE id = p_wallet;
  IF v_balance < p_amount THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not enough money';
  END IF;
  UPDATE wallets SET balance = balance - p_amount WHERE id = p_wallet;
  INSERT INTO payments (wallet_id, amount) VALUES (p_wallet, p_amount);
  COMMIT;
END$$

DELIMITER ;

--@ session ann: CALL pay(1, 80);
--@ session ben: CALL pay(1, 80);
--@ invariant covered: NOT EXISTS (SELECT 1 FROM wallets WHERE balance < 0)
