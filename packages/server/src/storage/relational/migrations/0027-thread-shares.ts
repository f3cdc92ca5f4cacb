import type { Migration } from '../migrate.ts'

/** Tokens that give readers without a key access to a thread. */
export const threadShares: Migration = {
  version: 27,
  name: 'thread shares',
  sql: `
    create table thread_shares (
      tenant_id uuid not null references workspaces (id) on delete cascade,
      session_id uuid not null,
      thread_id text not null,
      share_token uuid not null unique,
      created_at timestamptz not null,
      primary key (tenant_id, session_id, thread_id)
    );
  `,
}
