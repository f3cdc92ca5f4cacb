import type { Migration } from '../migrate.ts'

/** What alerts compared: the group that decided has the levels. A row that is written again replaces itself. */
export const alertPoints: Migration = {
  version: 46,
  name: 'alert points',
  statements: [
    `create table if not exists alert_points (
      tenant_id UUID,
      alert_id UUID,
      at DateTime('UTC'),
      -- Empty for runs without the attribute, else = and the value.
      group_key String codec(ZSTD(1)),
      value Nullable(Float64),
      run_count UInt64,
      level LowCardinality(String),
      warning Nullable(Float64),
      critical Nullable(Float64),
      usual Nullable(Float64),
      alert_version UInt32,
      -- Whether it is the worst group.
      is_worst UInt8
    )
    engine = ReplacingMergeTree
    order by (tenant_id, alert_id, at, group_key)
    ttl at + interval 90 day
    settings fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 1024`,
  ],
}
