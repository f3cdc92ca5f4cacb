import type { Migration } from '../migrate.ts'

/**
 * Other ids by which clients name a run: the id of an OpenTelemetry span whose run has the id of its trace or of an SDK's run.
 * Span ids are unique in a trace only. The id of a trace leads to the padded id of its root span.
 */
export const runAliases: Migration = {
  version: 12,
  name: 'run aliases',
  statements: [
    `create table if not exists run_aliases (
      tenant_id UUID,
      id UUID,
      trace_id UUID,
      run_id UUID,
      version UInt64
    )
    engine = ReplacingMergeTree(version)
    order by (tenant_id, id, trace_id)
    settings fsync_after_insert = 1, index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 16384,
      min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000`,
  ],
}
