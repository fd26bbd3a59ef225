DROP TABLE history;

--bun:split

{{if postgres}}DROP FUNCTION history_is_kept();{{end}}
