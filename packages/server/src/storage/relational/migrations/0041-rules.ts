import type { Migration } from '../migrate.ts'

/** Rules that act on runs, and the runs that they have to act on. */
export const rules: Migration = {
  version: 41,
  name: 'rules',
  sql: `
    create table rules (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      description text not null,
      is_enabled boolean not null,
      version integer not null, -- the newest
      definition text not null, -- of the newest version, JSON
      project_ids uuid[] not null, -- of the newest version
      looked_to bigint not null, -- runs up to this version of the column store were looked at
      looked_at timestamptz,
      looker uuid, -- the process that looks for runs
      looker_until timestamptz,
      failures integer not null default 0, -- decisions in a row that failed
      blocked_reason text,
      blocked_message text,
      blocked_at timestamptz,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      created_by text, -- name of the user or key
      unique (tenant_id, name)
    );
    create table rule_versions (
      rule_id uuid not null references rules (id) on delete cascade,
      version integer not null, -- from 1
      tenant_id uuid not null,
      definition text not null, -- JSON
      created_at timestamptz not null,
      created_by text,
      primary key (rule_id, version)
    );
    -- A run that a rule acts on. Decided ones stay for a while, so that the same run is not acted on again.
    create table rule_claims (
      rule_id uuid not null references rules (id) on delete cascade,
      target_id uuid not null, -- the run
      target_version text not null, -- hash of what the rule acts on
      tenant_id uuid not null,
      rule_version integer not null,
      trace_id uuid not null,
      session_id uuid not null,
      start_time timestamptz not null, -- of the run
      sample_value double precision not null,
      state text not null, -- waiting, running, done, failed
      attempts integer not null default 0,
      due_at timestamptz not null, -- of waiting ones; of running ones: the end of the lease
      outcomes text not null default '[]', -- JSON
      detail text not null default '',
      decided_at timestamptz not null,
      is_noted boolean not null default false, -- whether the decision is in the column store
      primary key (rule_id, target_id, target_version)
    );
    create index rule_claims_due on rule_claims (tenant_id, due_at) where state in ('waiting', 'running');
    create index rule_claims_to_note on rule_claims (decided_at) where state in ('done', 'failed') and not is_noted
  `,
}
