ALTER TABLE trestle_demo ADD COLUMN products {{bigint}} NOT NULL DEFAULT 0;
