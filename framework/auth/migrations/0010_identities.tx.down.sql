DROP TABLE auth_identities;
