import type { Migration } from '../migrate.ts'

/** Tokens that open a run, and what is below it, to readers without a key. */
export const runShares: Migration = {
  version: 4,
  name: 'run shares',
  sql: `
    create table run_shares (
      tenant_id uuid not null references workspaces (id),
      run_id uuid not null,
      trace_id uuid not null,
      session_id uuid not null,
      share_token uuid not null unique,
      created_at timestamptz not null default now(),
      primary key (tenant_id, run_id)
    );
    create index run_shares_of_project on run_shares (tenant_id, session_id);
  `,
}
