DELETE FROM invoice_line;
