ALTER TABLE trestle_demo DROP COLUMN products;
