-- safe_at orders the entries for readers that follow them. Every transaction that may still store an entry before this one has a
-- smaller id, and an entry about the same row that is stored later never has a smaller value. SQLite has one writer at a time.
CREATE TABLE history (
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

CREATE INDEX history_row ON history (viewset, row_key, seq);

--bun:split

CREATE INDEX history_feed ON history (safe_at, seq);

--bun:split

{{if postgres}}
CREATE FUNCTION history_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND NEW.changes IS NULL AND (NEW.seq, NEW.safe_at, NEW.id, NEW.viewset, NEW.row_key, NEW.change, NEW.at, NEW.caller, NEW.request, NEW.route)
		IS NOT DISTINCT FROM (OLD.seq, OLD.safe_at, OLD.id, OLD.viewset, OLD.row_key, OLD.change, OLD.at, OLD.caller, OLD.request, OLD.route) THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'entries of history cannot be changed or deleted; an UPDATE may only set changes to NULL';
END $$;
{{end}}

--bun:split

{{if postgres}}
CREATE TRIGGER history_is_kept BEFORE UPDATE OR DELETE ON history FOR EACH ROW EXECUTE FUNCTION history_is_kept();
{{else}}
CREATE TRIGGER history_is_not_changed BEFORE UPDATE ON history
WHEN NEW.changes IS NOT NULL OR (NEW.seq, NEW.safe_at, NEW.id, NEW.viewset, NEW.row_key, NEW.change, NEW.at, NEW.caller, NEW.request, NEW.route)
	IS NOT (OLD.seq, OLD.safe_at, OLD.id, OLD.viewset, OLD.row_key, OLD.change, OLD.at, OLD.caller, OLD.request, OLD.route)
BEGIN SELECT RAISE(ABORT, 'entries of history cannot be changed; an UPDATE may only set changes to NULL'); END;
{{end}}

--bun:split

{{if sqlite}}
CREATE TRIGGER history_is_not_deleted BEFORE DELETE ON history
BEGIN SELECT RAISE(ABORT, 'entries of history cannot be deleted'); END;
{{end}}
