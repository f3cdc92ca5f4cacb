import type { Migration } from '../migrate.ts'

/**
 * Merges wait for six parts. Each merge rebuilds the text index of its rows, so fewer merges of a run cost less. A few
 * more small parts in a table hardly slow a read.
 */
const TABLES = ['runs', 'run_keys', 'trace_runs', 'project_roots', 'project_usage']

export const fewerMerges: Migration = {
  version: 5,
  name: 'fewer merges',
  statements: TABLES.map((table) => `alter table ${table} modify setting min_parts_to_merge_at_once = 6`),
}
