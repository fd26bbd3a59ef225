DROP INDEX appointments_status;
