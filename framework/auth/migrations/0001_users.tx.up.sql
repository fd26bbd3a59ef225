CREATE TABLE auth_users (
	{{id}},
	email {{text}} NOT NULL UNIQUE,
	name {{text}} NOT NULL,
	password_hash {{text}} NOT NULL,
	is_active {{bool}} NOT NULL,
	is_staff {{bool}} NOT NULL,
	is_superuser {{bool}} NOT NULL,
	created_at {{timestamp}} NOT NULL,
	updated_at {{timestamp}} NOT NULL
);

--bun:split

CREATE TABLE auth_user_permissions (
	user_id {{uuid}} NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
	permission {{text}} NOT NULL,
	PRIMARY KEY (user_id, permission)
);
