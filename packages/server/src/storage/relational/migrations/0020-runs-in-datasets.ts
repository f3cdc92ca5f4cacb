import type { Migration } from '../migrate.ts'

/** Every read of a run checks whether an example was made from it. */
export const runsInDatasets: Migration = {
  version: 20,
  name: 'runs-in-datasets',
  sql: `
    create index example_states_of_run on example_states (tenant_id, source_run_id)
      where until = 'infinity' and source_run_id is not null;
  `,
}
