-- The list of an owner's patients of one city: its rows, its order and its count.
CREATE INDEX patients_owner_city ON patients (owner_id, city, name, id);
