ALTER TABLE auth_users ADD COLUMN email_verified_at {{timestamp}};

--bun:split

CREATE TABLE auth_mail_links (
	{{id}},
	user_id {{uuid}} NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
	purpose {{text}} NOT NULL,
	email {{text}} NOT NULL,
	token_hash {{bytes}} NOT NULL UNIQUE,
	created_at {{timestamp}} NOT NULL,
	expires_at {{timestamp}} NOT NULL
);

--bun:split

CREATE INDEX auth_mail_links_user_id ON auth_mail_links (user_id);

--bun:split

CREATE INDEX auth_mail_links_expires_at ON auth_mail_links (expires_at);
