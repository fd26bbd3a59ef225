DROP TABLE row_read_keys;

--bun:split

DROP TABLE row_reads;

--bun:split

{{if postgres}}DROP FUNCTION row_reads_stay();{{end}}
