import type { Migration } from '../migrate.ts'

/** The id above the last one of a path, which may be that of a run that has not arrived; the nil id where there is none. */
const ABOVE = `toUUIDOrZero(substring(arrayElement(splitByChar('.', dotted_order), -2),
          position(arrayElement(splitByChar('.', dotted_order), -2), 'Z') + 1))`

/** The first 8 bytes of the id, which are the span id of a run of the LangSmith clients; the nil id for ids of spans. */
const SPAN = `if(startsWith(toString(id), '00000000-0000-0000-'), toUUIDOrZero(''),
          toUUIDOrZero(concat('00000000-0000-0001-', substring(toString(id), 1, 4), '-', substring(toString(id), 5, 4),
            substring(toString(id), 10, 4), substring(toString(id), 15, 4))))`

const COLUMNS = 'tenant_id, trace_id, key, start_time, id, session_id, version, is_deleted'

const select = (from: string) => `
      select tenant_id, trace_id,
        arrayJoin(arrayFilter(one -> one != toUUIDOrZero(''), [${ABOVE}, ${SPAN}])) as key,
        start_time, id, session_id, version, is_deleted
      from ${from}`

/**
 * The runs of a trace by the run above them, also by one that has not arrived, and by their span id: a block of spans of a
 * large trace reads the few runs that its places depend on, not the whole trace. A run that moves has a row under its
 * former key as well, so readers compare with `trace_runs`.
 */
export const runLinks: Migration = {
  version: 41,
  name: 'run links',
  statements: [
    `create table if not exists run_links (
      tenant_id UUID,
      trace_id UUID,
      key UUID,
      start_time DateTime64(6, 'UTC'),
      id UUID,
      session_id UUID,
      version UInt64,
      is_deleted UInt8
    )
    engine = ReplacingMergeTree(version, is_deleted)
    order by (tenant_id, trace_id, key, start_time, id)
    settings fsync_after_insert = 1, index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 16384,
      min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000`,

    `create materialized view if not exists run_links_follow to run_links as ${select('runs')}`,

    `insert into run_links (${COLUMNS}) ${select('trace_runs')}`,
  ],
}
