-- An entry is about one request, and names each row that its answer showed.
CREATE TABLE row_reads (
	request {{uuid}} PRIMARY KEY,
	at {{timestamp}} NOT NULL,
	caller {{text}} NOT NULL,
	route {{text}} NOT NULL,
	method {{text}} NOT NULL,
	path {{text}}
);

--bun:split

CREATE TABLE row_read_keys (
	viewset {{text}} NOT NULL,
	row_key {{text}} NOT NULL,
	request {{uuid}} NOT NULL REFERENCES row_reads (request),
	PRIMARY KEY (viewset, row_key, request)
);

--bun:split

{{if postgres}}
CREATE FUNCTION row_reads_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'row_reads' THEN
		IF NEW.path IS NULL AND (NEW.request, NEW.at, NEW.caller, NEW.route, NEW.method) IS NOT DISTINCT FROM (OLD.request, OLD.at, OLD.caller, OLD.route, OLD.method) THEN
			RETURN NEW;
		END IF;
	END IF;
	RAISE EXCEPTION 'entries of % cannot be changed or deleted; an UPDATE may only set the path of row_reads to NULL', TG_TABLE_NAME;
END $$;
{{end}}

--bun:split

{{if postgres}}
CREATE TRIGGER row_reads_stay BEFORE UPDATE OR DELETE ON row_reads FOR EACH ROW EXECUTE FUNCTION row_reads_stay();
{{else}}
CREATE TRIGGER row_reads_are_not_changed BEFORE UPDATE ON row_reads
WHEN NEW.path IS NOT NULL OR (NEW.request, NEW.at, NEW.caller, NEW.route, NEW.method) IS NOT (OLD.request, OLD.at, OLD.caller, OLD.route, OLD.method)
BEGIN SELECT RAISE(ABORT, 'entries of row_reads cannot be changed; an UPDATE may only set path to NULL'); END;
{{end}}

--bun:split

{{if postgres}}
CREATE TRIGGER row_reads_are_not_emptied BEFORE TRUNCATE ON row_reads FOR EACH STATEMENT EXECUTE FUNCTION row_reads_stay();
{{else}}
CREATE TRIGGER row_reads_are_not_deleted BEFORE DELETE ON row_reads
BEGIN SELECT RAISE(ABORT, 'entries of row_reads cannot be deleted'); END;
{{end}}

--bun:split

{{if sqlite}}
CREATE TRIGGER row_reads_are_not_replaced BEFORE INSERT ON row_reads
WHEN EXISTS (SELECT 1 FROM row_reads WHERE request = NEW.request)
BEGIN SELECT RAISE(ABORT, 'entries of row_reads cannot be changed'); END;
{{end}}

--bun:split

{{if postgres}}
CREATE TRIGGER row_read_keys_stay BEFORE UPDATE OR DELETE ON row_read_keys FOR EACH ROW EXECUTE FUNCTION row_reads_stay();
{{else}}
CREATE TRIGGER row_read_keys_are_not_changed BEFORE UPDATE ON row_read_keys
BEGIN SELECT RAISE(ABORT, 'entries of row_read_keys cannot be changed'); END;
{{end}}

--bun:split

{{if postgres}}
CREATE TRIGGER row_read_keys_are_not_emptied BEFORE TRUNCATE ON row_read_keys FOR EACH STATEMENT EXECUTE FUNCTION row_reads_stay();
{{else}}
CREATE TRIGGER row_read_keys_are_not_deleted BEFORE DELETE ON row_read_keys
BEGIN SELECT RAISE(ABORT, 'entries of row_read_keys cannot be deleted'); END;
{{end}}
