DROP TABLE appointments;
DROP TABLE doctors;
{{dropSearchIndex "patients" "search"}}
DROP TABLE patients;
