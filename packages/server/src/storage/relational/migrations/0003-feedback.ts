import type { Migration } from '../migrate.ts'

/** The meaning of scores, and links by which a reader of a run gives feedback without a key. */
export const feedback: Migration = {
  version: 3,
  name: 'feedback',
  sql: `
    create table feedback_configs (
      tenant_id uuid not null references workspaces (id),
      feedback_key text not null,
      config jsonb not null,
      is_lower_score_better boolean not null default false,
      modified_at timestamptz not null,
      deleted_at timestamptz, -- a key that is created again takes its row over
      primary key (tenant_id, feedback_key)
    );

    create table feedback_tokens (
      token uuid primary key, -- the secret itself: lists print the link again, and all it allows is one record
      tenant_id uuid not null references workspaces (id),
      run_id uuid not null,
      feedback_key text not null,
      feedback_id uuid not null, -- the one record that the token writes
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index feedback_tokens_of_run on feedback_tokens (tenant_id, run_id, created_at desc);
  `,
}
