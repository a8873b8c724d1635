-- Once on the coordinator, by psql as the owner of the tables, while no replica runs. Done again it does nothing.
-- The number of shards is that of the session: PGOPTIONS='-c citus.shard_count=32' psql …

-- The small tables stay on the coordinator, where they can be written while a worker is down; workers reach them there.
SELECT citus_add_local_table_to_metadata(name) FROM
    (VALUES ('plantstore_meta'), ('tokens'), ('sandboxes'), ('sandbox_stores')) AS small (name)
  WHERE to_regclass(name) NOT IN (SELECT logicalrelid FROM pg_dist_partition);

-- A store is on one node as a whole: every request asks one node, and a batch is committed there alone.
SELECT create_distributed_table('plants', 'store', colocate_with => 'none')
  WHERE to_regclass('plants') NOT IN (SELECT logicalrelid FROM pg_dist_partition);
