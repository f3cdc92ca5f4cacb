import type { Migration } from '../migrate.ts'

/** Jobs of the playground over datasets with their calls, and drafts. */
export const playground: Migration = {
  version: 31,
  name: 'playground',
  sql: `
    create table playground_jobs (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      state text not null,
      reason text, -- why it is in this state
      dataset_id uuid not null,
      dataset_version timestamptz(3) not null,
      example_ids uuid[] not null, -- rows in their order
      request text not null, -- JSON: variants with their messages, mapping, variables
      summary text not null, -- JSON: what lists show of the variants and their experiments
      total integer not null, -- calls
      max_cost_usd double precision,
      max_seconds double precision,
      active_ms bigint not null default 0, -- time at work
      lease_holder uuid, -- the process that works on it
      lease_until timestamptz,
      created_at timestamptz not null,
      created_by_name text,
      ended_at timestamptz
    );
    create index playground_jobs_newest on playground_jobs (tenant_id, created_at desc, id);
    create index playground_jobs_running on playground_jobs (lease_until) where state = 'RUNNING';

    create table playground_calls (
      job_id uuid not null references playground_jobs (id) on delete cascade,
      number integer not null, -- (row * repeats + repeat) * variants + variant
      tenant_id uuid not null,
      variant smallint not null,
      run_id uuid not null,
      cost double precision, -- US dollars; null for unknown
      problem text, -- JSON of a failed call
      evaluator_error text,
      answer text, -- JSON of its run and its row until both are recorded
      primary key (job_id, number)
    );
    create index playground_calls_tenant on playground_calls (tenant_id);

    create table playground_drafts (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      body text not null, -- JSON
      version integer not null,
      created_at timestamptz not null,
      created_by_name text,
      updated_at timestamptz not null,
      updated_by_name text
    );
    create index playground_drafts_newest on playground_drafts (tenant_id, updated_at desc, id);
  `,
}
