-- safe_at orders the entries for readers that follow them. Every transaction that may still store an entry before this one has a
-- smaller id, and an entry about the same row that is stored later has no smaller value, unless its transaction reads
-- repeatably. SQLite has one writer at a time.
CREATE TABLE row_history (
	seq {{if postgres}}bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY{{else}}INTEGER PRIMARY KEY AUTOINCREMENT{{end}},
	safe_at bigint NOT NULL DEFAULT {{if postgres}}(greatest(pg_current_xact_id()::text::bigint + 1, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)){{else}}0{{end}},
	id {{uuid}} NOT NULL UNIQUE,
	viewset {{text}} NOT NULL,
	row_key {{text}} NOT NULL,
	change {{text}} NOT NULL,
	at {{timestamp}} NOT NULL,
	caller {{text}} NOT NULL,
	request {{uuid}} NOT NULL,
	route {{text}} NOT NULL,
	changes {{text}}
);

--bun:split

CREATE INDEX row_history_row ON row_history (viewset, row_key, seq);

--bun:split

CREATE INDEX row_history_feed ON row_history (safe_at, seq);

--bun:split

{{if postgres}}
CREATE FUNCTION row_history_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND (NEW.changes IS NULL OR NEW.changes = OLD.changes) AND (NEW.safe_at = 0 OR NEW.safe_at = OLD.safe_at)
		AND (NEW.seq, NEW.id, NEW.viewset, NEW.row_key, NEW.change, NEW.at, NEW.caller, NEW.request, NEW.route)
		IS NOT DISTINCT FROM (OLD.seq, OLD.id, OLD.viewset, OLD.row_key, OLD.change, OLD.at, OLD.caller, OLD.request, OLD.route) THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'entries of row_history cannot be changed or deleted; an UPDATE may only set changes to NULL, and safe_at to 0';
END $$;
{{end}}

--bun:split

{{if postgres}}
CREATE TRIGGER row_history_stays BEFORE UPDATE OR DELETE ON row_history FOR EACH ROW EXECUTE FUNCTION row_history_stays();
{{else}}
CREATE TRIGGER row_history_is_not_changed BEFORE UPDATE ON row_history
WHEN NEW.changes IS NOT NULL AND NEW.changes IS NOT OLD.changes
	OR (NEW.seq, NEW.safe_at, NEW.id, NEW.viewset, NEW.row_key, NEW.change, NEW.at, NEW.caller, NEW.request, NEW.route)
	IS NOT (OLD.seq, OLD.safe_at, OLD.id, OLD.viewset, OLD.row_key, OLD.change, OLD.at, OLD.caller, OLD.request, OLD.route)
BEGIN SELECT RAISE(ABORT, 'entries of row_history cannot be changed; an UPDATE may only set changes to NULL'); END;
{{end}}

--bun:split

{{if postgres}}
CREATE TRIGGER row_history_is_not_emptied BEFORE TRUNCATE ON row_history FOR EACH STATEMENT EXECUTE FUNCTION row_history_stays();
{{else}}
CREATE TRIGGER row_history_is_not_deleted BEFORE DELETE ON row_history
BEGIN SELECT RAISE(ABORT, 'entries of row_history cannot be deleted'); END;
{{end}}

--bun:split

{{if sqlite}}
CREATE TRIGGER row_history_is_not_replaced BEFORE INSERT ON row_history
WHEN EXISTS (SELECT 1 FROM row_history WHERE seq = NEW.seq OR id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'entries of row_history cannot be changed'); END;
{{end}}
