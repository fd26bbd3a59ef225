CREATE TABLE auth_groups (
	{{id}},
	name {{text}} NOT NULL UNIQUE
);

--bun:split

CREATE TABLE auth_user_groups (
	user_id {{uuid}} NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
	group_id {{uuid}} NOT NULL REFERENCES auth_groups (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, group_id)
);

--bun:split

CREATE INDEX auth_user_groups_group_id ON auth_user_groups (group_id);

--bun:split

CREATE TABLE auth_group_permissions (
	group_id {{uuid}} NOT NULL REFERENCES auth_groups (id) ON DELETE CASCADE,
	permission {{text}} NOT NULL,
	PRIMARY KEY (group_id, permission)
);
