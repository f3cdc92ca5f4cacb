import type { Migration } from '../migrate.ts'

/** What rules decided about traces and threads; rules find new feedback by its version, as they find runs. */
export const ruleTargets: Migration = {
  version: 47,
  name: 'rule targets',
  statements: [
    "alter table rule_decisions add column if not exists target LowCardinality(String) default 'run'",
    "alter table rule_decisions add column if not exists thread_id String default '' codec(ZSTD(1))",
    'alter table rule_decisions add column if not exists lag_ms Nullable(UInt32)',
    'alter table rule_decisions add column if not exists backfill_id Nullable(UUID)',
    'alter table run_feedback add index if not exists by_version version type minmax granularity 1',
    'alter table run_feedback materialize index by_version',
  ],
}
