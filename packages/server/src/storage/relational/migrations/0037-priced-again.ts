import type { Migration } from '../migrate.ts'

/** What jobs changed that priced stored runs again, page by page: an undo restores it. */
export const pricedAgain: Migration = {
  version: 37,
  name: 'priced-again',
  sql: `
    create table bulk_job_costs (
      job_id uuid not null references bulk_jobs (id) on delete cascade,
      number int generated always as identity,
      position text not null, -- cursor before the page: a page that is repeated after a crash is not computed again
      next text, -- cursor after it; null at the end
      runs int not null, -- of the page
      changes text not null, -- JSON: id, costs before and costs after of each run that changed
      changed int not null,
      cost_before numeric, -- of the changed runs; null when none is known
      cost_after numeric,
      primary key (job_id, number),
      unique (job_id, position)
    )
  `,
}
