import type { Migration } from '../migrate.ts'

/** The id above the last one of a path; the nil id where there is none. */
const ABOVE = `toUUIDOrZero(substring(arrayElement(splitByChar('.', dotted_order), -2),
          position(arrayElement(splitByChar('.', dotted_order), -2), 'Z') + 1))`

/** A path of two whole segments; that of a run which waits has at least three. */
const LONGEST_OF_CHILD = 2 * '20261101T120000000000Z00000000-0000-0000-0000-000000000000'.length + 1

/**
 * Leaves only those rows in `run_links` that no other table can answer: the runs whose parent has not arrived. They hang under
 * the root or its placeholder, which has the id of the trace, so that a comparison of two columns and a length passes over
 * almost all runs; paths of the others are not cut. Children of a stored run name it in `trace_runs.parent_run_id`.
 *
 * Other rows from before stay: readers look at more runs than they need.
 */
export const waitingRuns: Migration = {
  version: 42,
  name: 'waiting runs',
  statements: [
    `alter table run_links_follow modify query
      select tenant_id, trace_id, ${ABOVE} as key, start_time, id, session_id, version, is_deleted
      from runs
      where parent_run_id = trace_id and length(dotted_order) > ${LONGEST_OF_CHILD} and key not in (trace_id, toUUIDOrZero(''))`,
    // By the span ids of runs of SDKs.
    "alter table run_links delete where startsWith(toString(key), '00000000-0000-0001-')",
  ],
}
