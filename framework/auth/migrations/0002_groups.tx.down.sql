DROP TABLE auth_group_permissions;

--bun:split

DROP TABLE auth_user_groups;

--bun:split

DROP TABLE auth_groups;
