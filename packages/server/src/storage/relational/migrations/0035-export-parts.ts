import type { Migration } from '../migrate.ts'

/** Exported files are blobs, so that every process can continue and download them. */
export const exportParts: Migration = {
  version: 35,
  name: 'export-parts',
  sql: `
    create table bulk_job_parts ( -- of the exported file
      job_id uuid not null references bulk_jobs (id) on delete cascade,
      position bigint not null, -- bytes of the parts before it: two processes cannot add the same one
      blob text not null,
      bytes bigint not null,
      primary key (job_id, position)
    );
    create index bulk_job_parts_by_blob on bulk_job_parts (blob); -- the sweep looks for references
    update bulk_jobs set cursor = null, done = 0, failed = 0
      where action = 'export' and status in ('waiting', 'running'); -- begins again: its file had no parts
    update bulk_jobs set bytes = null where action = 'export' -- files of earlier versions cannot be downloaded any more
  `,
}
