DROP TABLE auth_mail_links;

--bun:split

ALTER TABLE auth_users DROP COLUMN email_verified_at;
