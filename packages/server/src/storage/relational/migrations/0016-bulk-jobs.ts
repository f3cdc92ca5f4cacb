import type { Migration } from '../migrate.ts'

/** Actions on many runs, and their progress. */
export const bulkJobs: Migration = {
  version: 16,
  name: 'bulk jobs',
  sql: `
    create table bulk_jobs (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      action text not null,
      wish text not null, -- JSON: conditions, and what the action needs
      status text not null,
      total int not null,
      done int not null default 0,
      failed int not null default 0,
      cursor text, -- where the part that was done ends
      error text,
      bytes bigint, -- of the exported file, as far as it is safe on the disk
      is_undone boolean not null default false,
      created_at timestamptz not null,
      created_by_name text,
      started_at timestamptz,
      ended_at timestamptz
    );
    create index bulk_jobs_of on bulk_jobs (tenant_id, created_at);

    create table bulk_job_failures (
      job_id uuid not null references bulk_jobs (id) on delete cascade,
      number int generated always as identity,
      item_id text not null,
      message text not null,
      primary key (job_id, number)
    );

    create table bulk_job_examples ( -- that a job made, page by page: what an undo takes back
      job_id uuid not null references bulk_jobs (id) on delete cascade,
      number int generated always as identity,
      example_ids uuid[] not null,
      primary key (job_id, number)
    )
  `,
}
