import type { Migration } from '../migrate.ts'

/**
 * What rules decided about runs; the newest row of a run and its content is the decision. Rules find new runs by their version,
 * which grows with the time of the write, so that a part of the table is read only while it is new.
 */
export const ruleDecisions: Migration = {
  version: 45,
  name: 'rule decisions',
  statements: [
    `create table if not exists rule_decisions (
      tenant_id UUID,
      rule_id UUID,
      run_id UUID,
      target_version String,
      rule_version UInt32,
      trace_id UUID,
      session_id UUID,
      start_time DateTime64(6, 'UTC'),
      state LowCardinality(String),
      attempts UInt16,
      sample_value Float64,
      sampling_rate Float64,
      -- JSON list of what the actions did.
      outcomes String codec(ZSTD(1)),
      cost Nullable(Float64),
      detail String codec(ZSTD(1)),
      decided_at DateTime64(6, 'UTC'),
      index by_time decided_at type minmax granularity 1
    )
    engine = ReplacingMergeTree(decided_at)
    order by (tenant_id, rule_id, run_id, target_version)
    ttl toDateTime(decided_at) + interval 90 day
    settings fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 1024`,
    'alter table runs add index if not exists by_version version type minmax granularity 1',
    // Of runs that are stored, in the background: each look for new runs would read their versions.
    'alter table runs materialize index by_version',
  ],
}
