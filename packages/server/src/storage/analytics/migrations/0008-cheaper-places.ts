import type { Migration } from '../migrate.ts'

/** What is read one run at a time. */
const READ_BY_PLACE = ['runs', 'trace_runs', 'run_keys', 'run_feedback', 'run_attachments']

/**
 * To read one value the engine decompresses the block around it, 64 kB of every column. With blocks of 4 kB twenty runs
 * from all over a project cost three fifths, and the table is a hundredth larger. Parts that are there get them when they are merged.
 */
export const cheaperPlaces: Migration = {
  version: 8,
  name: 'cheaper places',
  statements: READ_BY_PLACE.map((table) => `alter table ${table} modify setting min_compress_block_size = 4096`),
}
