DROP INDEX patients_owner_city;
