ALTER TABLE auth_users ADD COLUMN username {{text}};

--bun:split

CREATE UNIQUE INDEX auth_users_username ON auth_users (username);
