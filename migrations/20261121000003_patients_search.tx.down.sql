{{if postgres}}
{{dropSearchIndex "patients" "search"}}
{{searchIndex "patients" "search"}}
{{end}}
