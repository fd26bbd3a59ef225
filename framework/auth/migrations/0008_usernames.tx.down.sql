DROP INDEX auth_users_username;

--bun:split

ALTER TABLE auth_users DROP COLUMN username;
