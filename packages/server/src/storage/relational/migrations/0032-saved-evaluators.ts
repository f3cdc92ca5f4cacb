import type { Migration } from '../migrate.ts'

/** Evaluators that the server runs, with their versions. */
export const savedEvaluators: Migration = {
  version: 32,
  name: 'saved-evaluators',
  sql: `
    create table saved_evaluators (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      description text not null,
      kind text not null, -- of all versions
      version integer not null, -- the newest
      keys text[] not null, -- feedback keys of the newest version
      created_at timestamptz not null,
      modified_at timestamptz not null,
      created_by text, -- name of the person or key
      unique (tenant_id, name)
    );
    create table saved_evaluator_versions (
      evaluator_id uuid not null references saved_evaluators (id) on delete cascade,
      version integer not null, -- from 1
      definition text not null, -- JSON
      note text not null, -- what changed
      created_at timestamptz not null,
      created_by text,
      primary key (evaluator_id, version)
    )
  `,
}
