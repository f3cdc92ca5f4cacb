import type { Migration } from '../migrate.ts'

const DURABLE = 'fsync_after_insert = 1'

/**
 * Feedback ordered by run, because statistics, filters and lists select by run; `feedback_keys` follows as a
 * materialized view and finds a record by its id. Feedback on a project has the nil run, so that one sort key serves
 * both.
 *
 * The earlier table `feedback` is copied and emptied. It is not dropped: a migration may run twice, and the copy needs
 * a table to read.
 */
export const feedback: Migration = {
  version: 2,
  name: 'feedback',
  statements: [
    `create table if not exists run_feedback (
      tenant_id UUID,
      run_id UUID,
      key String,
      id UUID,
      session_id Nullable(UUID),
      trace_id Nullable(UUID),
      start_time Nullable(DateTime64(6, 'UTC')),
      score Nullable(Float64),
      value String codec(ZSTD(1)),
      label String codec(ZSTD(1)),
      comment Nullable(String) codec(ZSTD(1)),
      correction String codec(ZSTD(1)),
      feedback_source String codec(ZSTD(1)),
      source_type LowCardinality(String),
      feedback_config String codec(ZSTD(1)),
      comparative_experiment_id Nullable(UUID),
      feedback_group_id Nullable(UUID),
      feedback_thread_id String,
      error UInt8,
      extra String codec(ZSTD(1)),
      created_at DateTime64(6, 'UTC'),
      modified_at DateTime64(6, 'UTC'),
      version UInt64,
      is_deleted UInt8
    )
    engine = ReplacingMergeTree(version, is_deleted)
    order by (tenant_id, run_id, key, id)
    settings ${DURABLE}, index_granularity = 1024`,

    `create table if not exists feedback_keys (
      tenant_id UUID,
      id UUID,
      run_id UUID,
      key String,
      created_at DateTime64(6, 'UTC'),
      version UInt64,
      is_deleted UInt8
    )
    engine = ReplacingMergeTree(version, is_deleted)
    order by (tenant_id, id)
    settings ${DURABLE}, index_granularity = 256`,

    `create materialized view if not exists feedback_keys_follow to feedback_keys as
      select tenant_id, id, run_id, key, created_at, version, is_deleted from run_feedback`,

    `insert into run_feedback
      select tenant_id, ifNull(run_id, toUUID('00000000-0000-0000-0000-000000000000')), key, id, session_id, trace_id,
        start_time, score, value,
        multiIf(
          JSONType(value) = 'String', JSONExtractString(value),
          JSONType(value) in ('Object', 'Array', 'Null'), '',
          value) as label,
        comment, correction, feedback_source,
        ifNull(nullIf(lower(JSONExtractString(feedback_source, 'type')), ''), 'api') as source_type,
        feedback_config, comparative_experiment_id, feedback_group_id, '' as feedback_thread_id, error, extra,
        created_at, modified_at, version, is_deleted
      from feedback final
      where is_deleted = 0`,

    'truncate table if exists feedback',
  ],
}
