CREATE TABLE patients (
    {{id}},
    owner_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    name {{text}} NOT NULL,
    phone {{text}} NOT NULL,
    city {{text}} NOT NULL,
    search {{text}} NOT NULL,
    created_at {{timestamp}} NOT NULL,
    updated_at {{timestamp}} NOT NULL
);

CREATE INDEX patients_name ON patients (name, id);
CREATE INDEX patients_city ON patients (city, name, id);
CREATE INDEX patients_city_id ON patients (city, id);
CREATE INDEX patients_owner ON patients (owner_id, name, id);

{{searchIndex "patients" "search"}}

CREATE TABLE doctors (
    {{id}},
    name {{text}} NOT NULL,
    speciality {{text}} NOT NULL
);

CREATE INDEX doctors_name ON doctors (name, id);
CREATE INDEX doctors_speciality ON doctors (speciality, id);

CREATE TABLE appointments (
    {{id}},
    patient_id {{uuid}} NOT NULL REFERENCES patients (id),
    doctor_id {{uuid}} NOT NULL REFERENCES doctors (id),
    status {{text}} NOT NULL CHECK (status IN ('booked', 'completed', 'cancelled', 'no_show')),
    fee {{bigint}} NOT NULL CHECK (fee >= 0),
    starts_at {{timestamp}},
    notes {{text}} NOT NULL,
    created_at {{timestamp}} NOT NULL,
    updated_at {{timestamp}} NOT NULL
);

-- One booked appointment per doctor and time; an unscheduled one has no time.
CREATE UNIQUE INDEX appointments_slot ON appointments (doctor_id, starts_at) WHERE status = 'booked' AND starts_at IS NOT NULL;
CREATE INDEX appointments_starts_at ON appointments (starts_at, id);
CREATE INDEX appointments_patient ON appointments (patient_id, starts_at, id);
CREATE INDEX appointments_doctor ON appointments (doctor_id, starts_at, id);
CREATE INDEX appointments_status_fee ON appointments (status, fee);
