import type { Migration } from '../migrate.ts'

/** The default workspace with its default project, keys, projects and prices. */
export const foundation: Migration = {
  version: 1,
  name: 'foundation',
  sql: `
    create table workspaces (
      id uuid primary key,
      organization_id uuid not null,
      display_name text not null,
      tenant_handle text unique,
      created_at timestamptz not null default now()
    );

    create table api_keys (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      hash text not null unique, -- SHA-256 in hex: keys are random, so nothing slower is needed
      short_key text not null,
      description text not null,
      read_only boolean not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz
    );
    create index api_keys_of_workspace on api_keys (tenant_id, created_at);

    create table projects (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      name_key text generated always as (md5(name)) stored, -- a long name does not fit into an index
      description text,
      extra text, -- JSON as it came
      metadata jsonb not null default '{}', -- extra.metadata for filters, without what jsonb cannot hold
      reference_dataset_id uuid,
      default_dataset_id uuid,
      start_time timestamptz not null,
      end_time timestamptz,
      trace_tier text,
      created_at timestamptz not null default now(),
      constraint projects_name_is_taken unique (tenant_id, name_key)
    );
    create index projects_of_workspace on projects (tenant_id, start_time desc, id);
    create index projects_of_dataset on projects (reference_dataset_id) where reference_dataset_id is not null;
    create index projects_by_metadata on projects using gin (metadata jsonb_path_ops);

    create table model_prices (
      tenant_id uuid not null references workspaces (id),
      id uuid not null, -- that of a built-in price when it replaces one
      is_deleted boolean not null default false, -- hides the built-in price of this id
      name text not null,
      match_pattern text not null,
      match_path text[] not null,
      provider text,
      start_time timestamptz,
      prompt_cost numeric not null,
      completion_cost numeric not null,
      prompt_cost_details jsonb,
      completion_cost_details jsonb,
      created_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );

    insert into workspaces (id, organization_id, display_name)
      values (gen_random_uuid(), gen_random_uuid(), 'Default');
    insert into projects (id, tenant_id, name, start_time)
      select gen_random_uuid(), id, 'default', now() from workspaces;
  `,
}
