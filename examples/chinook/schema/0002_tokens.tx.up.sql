-- The only table that the schema lacks: the tokens of customers and employees, as their SHA-256.

CREATE TABLE access_token (
    digest VARCHAR(64) PRIMARY KEY,
    customer_id INT REFERENCES customer (customer_id),
    employee_id INT REFERENCES employee (employee_id),
    CHECK ((customer_id IS NULL) <> (employee_id IS NULL))
);
