DROP TABLE loans;
DROP TABLE books;
DROP TABLE authors;
