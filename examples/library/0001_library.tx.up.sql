CREATE TABLE authors (
    {{id}},
    name {{text}} NOT NULL
);

CREATE TABLE books (
    {{id}},
    title {{text}} NOT NULL,
    author_id {{uuid}} NOT NULL REFERENCES authors (id)
);

CREATE TABLE loans (
    {{id}},
    borrower_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    book_id {{uuid}} NOT NULL REFERENCES books (id),
    due_at {{timestamp}} NOT NULL,
    returned_at {{timestamp}}
);

-- A book is lent to one at a time.
CREATE UNIQUE INDEX loans_lent ON loans (book_id) WHERE returned_at IS NULL;
CREATE INDEX loans_borrower ON loans (borrower_id, due_at, id);

-- For the orders of lists and for references, as the command doctor proposes them.
CREATE INDEX authors_name ON authors (name, id);
CREATE INDEX books_title ON books (title, id);
CREATE INDEX books_author ON books (author_id);
CREATE INDEX loans_book ON loans (book_id);
