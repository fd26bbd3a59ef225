ALTER TABLE appointments DROP COLUMN version;
ALTER TABLE patients DROP COLUMN version;
