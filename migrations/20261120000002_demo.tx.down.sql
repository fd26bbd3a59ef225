DROP TABLE trestle_demo;
