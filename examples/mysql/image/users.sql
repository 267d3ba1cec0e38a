-- One root without a password, as MYSQL_ALLOW_EMPTY_PASSWORD asks for: from anywhere, and from within the container.
DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys' AND NOT (User = 'root' AND Host = 'localhost');
FLUSH PRIVILEGES;
CREATE USER 'root'@'%';
GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;
-- A root from outside is held to read-only, as MySQL's super-read-only would.
REVOKE READ ONLY ADMIN ON *.* FROM 'root'@'%';
