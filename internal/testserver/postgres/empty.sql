DO $$
DECLARE
	schema text;
	public_is_owned_by_owner boolean := (SELECT nspowner = 'pg_database_owner'::regrole FROM pg_namespace WHERE nspname = 'public');
BEGIN
	IF current_setting('cluster_name') <> 'trestle_throwaway' THEN
		RAISE EXCEPTION 'the server is not a throw-away cluster';
	END IF;
	IF public_is_owned_by_owner IS NOT TRUE THEN
		RAISE EXCEPTION 'the schema public is not as it was';
	END IF;
	SET LOCAL lock_timeout = '5s';
	PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
	FOR schema IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
		EXECUTE format('DROP SCHEMA %I CASCADE', schema);
	END LOOP;
	CREATE SCHEMA public AUTHORIZATION pg_database_owner;
	GRANT USAGE ON SCHEMA public TO PUBLIC;
	COMMENT ON SCHEMA public IS 'standard public schema';
	-- 16384 is the first oid of what initdb did not make.
	IF EXISTS (SELECT FROM pg_class WHERE oid >= 16384 UNION ALL
			SELECT FROM pg_proc WHERE oid >= 16384 UNION ALL
			SELECT FROM pg_type WHERE oid >= 16384 UNION ALL
			SELECT FROM pg_extension WHERE oid >= 16384 UNION ALL
			SELECT FROM pg_event_trigger UNION ALL
			SELECT FROM pg_publication UNION ALL
			SELECT FROM pg_largeobject_metadata UNION ALL
			SELECT FROM pg_default_acl UNION ALL
			SELECT FROM pg_namespace WHERE oid >= 16384 AND nspname <> 'public' AND nspname !~ '^pg_(toast_)?temp_' UNION ALL
			SELECT FROM pg_database AS d WHERE datname = current_database() AND (datconnlimit <> -1 OR datacl IS NOT NULL) UNION ALL
			SELECT FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid = s.setdatabase WHERE d.datname = current_database()) THEN
		RAISE EXCEPTION 'the database is not empty';
	END IF;
END $$
