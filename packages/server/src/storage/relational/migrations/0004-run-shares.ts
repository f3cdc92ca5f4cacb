import type { Migration } from '../migrate.ts'

/** Tokens that give readers without a key access to a run and the runs below it. */
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
