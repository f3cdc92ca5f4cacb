import type { Migration } from '../migrate.ts'

/**
 * One row per ingest request, for "where is my trace?". Rows are written in the background, without fsync: the runs
 * themselves prove that they are stored. They disappear after a day.
 */
export const ingestReceipts: Migration = {
  version: 11,
  name: 'ingest receipts',
  statements: [
    `create table if not exists ingest_receipts (
      tenant_id UUID,
      received_at DateTime64(6, 'UTC'),
      id UUID,
      route LowCardinality(String),
      status UInt16,
      sender Nullable(String),
      api_key_id Nullable(UUID),
      user_agent LowCardinality(String),
      sdk LowCardinality(String),
      sampling_rate Nullable(Float64),
      -- Names or ids, as they were sent.
      projects Array(String),
      accepted UInt32,
      rejected UInt32,
      warnings UInt32,
      error String,
      -- Runs, spans and traces that the request named, stored or not.
      ids Array(String),
      -- JSON list of the rejected items and warnings.
      items String codec(ZSTD(1)),
      index by_id ids type bloom_filter(0.01) granularity 1
    )
    engine = ReplacingMergeTree
    order by (tenant_id, received_at, id)
    ttl toDateTime(received_at) + interval 1 day
    settings index_granularity = 256, min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000`,
  ],
}
