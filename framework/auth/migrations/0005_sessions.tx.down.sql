DROP TABLE auth_sessions;
