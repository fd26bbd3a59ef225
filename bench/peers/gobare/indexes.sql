-- The indexes that Trestle's migrations make, for the queries of this server.
-- Two of them replace those that Django makes for the city.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- GiST, as Trestle has it. GIN finds faster, but while its list of new entries is
-- long, searches during writes take several times as long.
CREATE INDEX gobare_search ON clinic_patient USING gist ((name || ' ' || phone) gist_trgm_ops(siglen=256));
CREATE INDEX gobare_city ON clinic_patient (city, name, id);
CREATE INDEX gobare_city_id ON clinic_patient (city, id);
DROP INDEX clinic_patient_city_2bcf3d8c, clinic_patient_city_2bcf3d8c_like;

-- This server lists appointments by id; Trestle's indexes have starts_at there.
CREATE INDEX gobare_patient ON clinic_appointment (patient_id, id);
DROP INDEX clinic_appointment_patient_id_dd04daf6;
CREATE INDEX gobare_status_fee ON clinic_appointment (status, fee);
CREATE INDEX gobare_status ON clinic_appointment (status, id);
