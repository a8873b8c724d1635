-- Run once on every node with psql, as a superuser. docs/citus.md explains the steps.
ALTER SYSTEM SET synchronous_commit = 'on';
-- The longest that creates wait for a node that has vanished. It must be well below --database-timeout.
ALTER SYSTEM SET citus.node_connection_timeout = '1s';
-- Within this time Citus decides commits that a failure left in doubt, after a manual import or a change of tables.
ALTER SYSTEM SET citus.recover_2pc_interval = '5s';
SELECT pg_reload_conf();
