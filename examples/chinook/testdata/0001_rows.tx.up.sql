INSERT INTO artist (name) VALUES
    ('Amber Falls'), ('Birch and Bone'), ('Copper Lanterns'), ('Dune Choir'), ('Ember Quartet'), ('Foxglove'),
    ('Grey Harbour'), ('Hollow Reed'), ('Iris Vale'), ('Juniper Road'), ('Kestrel'), ('Low Tide');

INSERT INTO album (title, artist_id) VALUES
    ('First Light', 1), ('Second Light', 1), ('Roots', 2), ('Night Market', 3), ('Sand', 4), ('Opus Eleven', 5),
    ('Thimbles', 6), ('Moorings', 7), ('Reedwork', 8), ('Valley Songs', 9), ('Milestones North', 10), ('Hover', 11);

INSERT INTO genre (name) VALUES
    ('Rock'), ('Folk'), ('Jazz'), ('Choral'), ('Chamber'), ('Pop'),
    ('Ambient'), ('Blues'), ('Country'), ('Soul'), ('Electronic'), ('Spoken Word');

INSERT INTO media_type (name) VALUES ('MPEG audio'), ('AAC audio'), ('Lossless audio'), ('MPEG video');

INSERT INTO track (name, album_id, media_type_id, genre_id, composer, milliseconds, bytes, unit_price) VALUES
    ('Dawn', 1, 1, 1, 'A. Falls', 181000, 2900000, 0.99),
    ('Noon', 1, 1, 1, 'A. Falls', 242000, 3900000, 0.99),
    ('Dusk', 1, 3, 1, NULL, 305000, 30500000, 1.29),
    ('Dawn Again', 2, 1, 6, 'A. Falls', 199000, 3200000, 0.99),
    ('Bark', 3, 2, 2, 'B. Bone', 150000, 2400000, 0.89),
    ('Lantern Street', 4, 2, 3, 'C. Lane', 420000, 6700000, 1.09),
    ('Dunes I', 5, 3, 4, 'D. Choir', 600000, 60000000, 1.99),
    ('Dunes II', 5, 3, 4, 'D. Choir', 640000, 64000000, 1.99),
    ('Allegro', 6, 3, 5, 'E. Quartet', 510000, 51000000, 1.49),
    ('Pins', 7, 1, 6, NULL, 175000, 2800000, 0.99),
    ('Anchor', 8, 1, 8, 'G. Harbour', 260000, 4200000, 0.99),
    ('Reed', 9, 1, 7, NULL, 333000, 5300000, 0.99),
    ('Valley', 10, 1, 9, 'I. Vale', 214000, 3400000, 0.99),
    ('Interview', NULL, 4, NULL, NULL, 900000, NULL, 1.99);

INSERT INTO playlist (name) VALUES ('Morning'), ('Evening'), ('Long'), ('Empty');

INSERT INTO playlist_track (playlist_id, track_id) VALUES
    (1, 1), (1, 2), (1, 4), (1, 5), (2, 3), (2, 6), (2, 12), (3, 7), (3, 8), (3, 9), (3, 14), (2, 1);

INSERT INTO employee (last_name, first_name, title, reports_to, birth_date, hire_date, city, country, email) VALUES
    ('Adler', 'Mona', 'General Manager', NULL, '1970-03-01 00:00:00', '2010-01-04 00:00:00', 'Graz', 'Austria', 'mona@chinook.example'),
    ('Brandt', 'Otto', 'Sales Manager', 1, '1975-07-12 00:00:00', '2011-02-01 00:00:00', 'Graz', 'Austria', 'otto@chinook.example'),
    ('Cole', 'Pia', 'Sales Support', 2, '1988-11-30 00:00:00', '2014-05-05 00:00:00', 'Linz', 'Austria', 'pia@chinook.example'),
    ('Drury', 'Quin', 'Sales Support', 2, '1990-01-20 00:00:00', '2015-06-01 00:00:00', 'Linz', 'Austria', 'quin@chinook.example'),
    ('Eder', 'Rosa', 'Sales Support', 2, NULL, '2016-09-15 00:00:00', 'Wels', 'Austria', NULL),
    ('Frey', 'Sam', 'IT Manager', 1, NULL, '2012-03-01 00:00:00', 'Graz', 'Austria', 'sam@chinook.example');

INSERT INTO customer (first_name, last_name, company, city, country, email, support_rep_id) VALUES
    ('Ada', 'North', NULL, 'Oslo', 'Norway', 'ada@mail.example', 3),
    ('Ben', 'South', 'South Ltd', 'Porto', 'Portugal', 'ben@mail.example', 3),
    ('Cleo', 'East', NULL, 'Riga', 'Latvia', 'cleo@mail.example', 4),
    ('Dov', 'West', NULL, 'Cork', 'Ireland', 'dov@mail.example', 4),
    ('Eva', 'Hill', 'Hill and Sons', 'Bern', 'Switzerland', 'eva@mail.example', 5),
    ('Finn', 'Lake', NULL, 'Turku', 'Finland', 'finn@mail.example', NULL),
    ('Gia', 'Wood', NULL, 'Oslo', 'Norway', 'gia@mail.example', 3),
    ('Hal', 'Ford', NULL, 'Leeds', 'England', 'hal@mail.example', 4),
    ('Ina', 'Moor', NULL, 'Kiel', 'Germany', 'ina@mail.example', 5),
    ('Jon', 'Reef', NULL, 'Nice', 'France', 'jon@mail.example', 3),
    ('Kim', 'Glen', NULL, 'Perth', 'Scotland', 'kim@mail.example', 4),
    ('Lea', 'Dale', NULL, 'Ghent', 'Belgium', 'lea@mail.example', NULL);

INSERT INTO invoice (customer_id, invoice_date, billing_city, billing_country, total) VALUES
    (1, '2026-01-05 10:00:00', 'Oslo', 'Norway', 2.97),
    (1, '2026-02-05 11:30:00', 'Oslo', 'Norway', 3.98),
    (2, '2026-01-09 09:15:00', 'Porto', 'Portugal', 0.89),
    (3, '2026-01-20 17:45:00', 'Riga', 'Latvia', 1.09),
    (3, '2026-03-01 08:00:00', 'Riga', 'Latvia', 1.98),
    (4, '2026-02-11 12:00:00', 'Cork', 'Ireland', 1.49),
    (5, '2026-02-14 20:20:00', 'Bern', 'Switzerland', 0.99),
    (6, '2026-02-28 23:59:59', 'Turku', 'Finland', 1.99),
    (7, '2026-03-03 06:00:00', 'Oslo', 'Norway', 0.99),
    (8, '2026-03-04 07:00:00', 'Leeds', 'England', 0.99),
    (9, '2026-03-05 08:00:00', 'Kiel', 'Germany', 1.29),
    (10, '2026-03-06 09:00:00', 'Nice', 'France', 0.99);

INSERT INTO invoice_line (invoice_id, track_id, unit_price, quantity) VALUES
    (1, 1, 0.99, 2), (1, 2, 0.99, 1), (2, 7, 1.99, 1), (2, 8, 1.99, 1), (3, 5, 0.89, 1), (4, 6, 1.09, 1),
    (5, 10, 0.99, 1), (5, 11, 0.99, 1), (6, 9, 1.49, 1), (7, 12, 0.99, 1), (8, 14, 1.99, 1), (9, 13, 0.99, 1),
    (10, 4, 0.99, 1), (11, 3, 1.29, 1), (12, 1, 0.99, 1);
