-- Its one row says that the database holds demo data, which may be replaced.
CREATE TABLE trestle_demo (
    id {{bigint}} PRIMARY KEY CHECK (id = 1),
    patients {{bigint}} NOT NULL,
    appointments {{bigint}} NOT NULL,
    seeded_at {{timestamp}} NOT NULL
);
