DROP TABLE auth_user_permissions;

--bun:split

DROP TABLE auth_users;
