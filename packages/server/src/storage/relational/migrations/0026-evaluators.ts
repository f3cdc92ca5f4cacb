import type { Migration } from '../migrate.ts'

/** Evaluators of a workspace; feedback configs get ids, and a key may have an enforced config beside its own. */
export const evaluators: Migration = {
  version: 26,
  name: 'evaluators and enforced feedback configs',
  sql: `
    create table evaluators (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id) on delete cascade,
      name text not null,
      type text not null, -- llm, code or decision_model
      code_evaluator jsonb,
      llm_evaluator jsonb,
      metadata text, -- JSON text as it came
      metadata_index jsonb not null, -- what filters see of it
      created_by text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );
    create index evaluators_of_workspace on evaluators (tenant_id, created_at desc, id desc);

    alter table feedback_configs
      drop constraint feedback_configs_pkey,
      add column id uuid not null default gen_random_uuid() primary key,
      add column is_enforced boolean not null default false,
      add column is_first boolean not null default true;
    alter table feedback_configs
      alter column id drop default,
      alter column is_enforced drop default,
      alter column is_first drop default;
    create unique index feedback_configs_of_key
      on feedback_configs (tenant_id, feedback_key, is_enforced) where deleted_at is null;
    create index feedback_configs_by_key on feedback_configs (tenant_id, feedback_key);
  `,
}
