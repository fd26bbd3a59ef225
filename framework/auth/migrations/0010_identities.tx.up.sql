CREATE TABLE auth_identities (
	issuer {{text}} NOT NULL,
	subject {{text}} NOT NULL,
	user_id {{uuid}} NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
	granted {{text}} NOT NULL,
	created_at {{timestamp}} NOT NULL,
	signed_in_at {{timestamp}} NOT NULL,
	PRIMARY KEY (issuer, subject),
	UNIQUE (user_id, issuer)
);
