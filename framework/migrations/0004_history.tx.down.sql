DROP TABLE row_history;

--bun:split

{{if postgres}}DROP FUNCTION row_history_stays();{{end}}
