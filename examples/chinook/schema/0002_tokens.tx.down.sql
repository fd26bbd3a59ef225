DROP TABLE access_token;
