-- Run once on the coordinator with psql, as the owner of the tables, while no replica runs. Running it again is harmless.
-- To set the number of shards (default: 32): PGOPTIONS='-c citus.shard_count=64' psql …

-- The small tables stay on the coordinator, where they can be written while a worker is down. Workers read them there.
-- Citus adds 'webhook_attempts' with 'webhooks', to which it refers.
SELECT citus_add_local_table_to_metadata(name, cascade_via_foreign_keys => true) FROM
    (VALUES ('plantstore_meta'), ('tokens'), ('sandboxes'), ('webhooks'), ('webhook_holders')) AS small (name)
  WHERE to_regclass(name) NOT IN (SELECT logicalrelid FROM pg_dist_partition);

-- Each store is on one node. So every request reads from one node, and every batch is committed on one node. The
-- events, the snapshots and the quota of a store are on the node of its plants, since all share transactions.
SELECT create_distributed_table('plants', 'store', colocate_with => 'none')
  WHERE to_regclass('plants') NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_distributed_table(name, 'store', colocate_with => 'plants')
  FROM (VALUES ('quotas'), ('event_counts'), ('events'), ('snapshots')) AS of_plants (name)
  WHERE to_regclass(name) NOT IN (SELECT logicalrelid FROM pg_dist_partition);
