import type { Migration } from '../migrate.ts'

/** Jobs that judge the runs of experiments are kept beside those of the playground. */
export const evaluatorJobs: Migration = {
  version: 34,
  name: 'evaluator-jobs',
  sql: `
    alter table playground_jobs add column kind text not null default 'variants'; -- or 'judging': example_ids are then runs
  `,
}
