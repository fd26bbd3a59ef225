CREATE TABLE auth_jwt_families (
	{{id}},
	user_id {{uuid}} NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
	refresh_id {{uuid}} NOT NULL,
	created_at {{timestamp}} NOT NULL,
	expires_at {{timestamp}} NOT NULL
);

--bun:split

CREATE INDEX auth_jwt_families_user_id ON auth_jwt_families (user_id);

--bun:split

CREATE TABLE auth_jwt_superseded (
	refresh_id {{uuid}} NOT NULL PRIMARY KEY,
	family_id {{uuid}} NOT NULL REFERENCES auth_jwt_families (id) ON DELETE CASCADE,
	superseded_at {{timestamp}} NOT NULL
);

--bun:split

CREATE INDEX auth_jwt_superseded_family_id ON auth_jwt_superseded (family_id);
