import type { Migration } from '../migrate.ts'

/**
 * Merges wait for six parts. Each merge builds the text index of its rows anew, so a run that is merged less often costs
 * less. A few small parts more stand in a table, which a read barely feels.
 */
const TABLES = ['runs', 'run_keys', 'trace_runs', 'project_roots', 'project_usage']

export const fewerMerges: Migration = {
  version: 5,
  name: 'fewer merges',
  statements: TABLES.map((table) => `alter table ${table} modify setting min_parts_to_merge_at_once = 6`),
}
