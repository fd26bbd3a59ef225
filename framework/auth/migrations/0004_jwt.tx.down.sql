DROP TABLE auth_jwt_superseded;

--bun:split

DROP TABLE auth_jwt_families;
