-- Once on every node, by psql as a superuser. docs/postgres.md says why.
ALTER SYSTEM SET synchronous_commit = 'on';
-- Well below --database-timeout: creates wait for a node that has vanished no longer than this.
ALTER SYSTEM SET citus.node_connection_timeout = '1s';
-- What a two-phase commit left in doubt, after an import by hand or a change of tables, is decided within this time.
ALTER SYSTEM SET citus.recover_2pc_interval = '5s';
SELECT pg_reload_conf();
