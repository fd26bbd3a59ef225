-- Patients are written all day: see searchIndex. On SQLite nothing differs.
{{if postgres}}
{{dropSearchIndex "patients" "search"}}
{{searchIndex "patients" "search" "gist"}}
{{end}}
