import type { Migration } from '../migrate.ts'

/** Keys have a role, and prompts have environments: tags that only some roles may move. */
export const rolesAndEnvironments: Migration = {
  version: 13,
  name: 'roles and environments',
  sql: `
    alter table api_keys add column role text; -- viewer, member or admin
    alter table api_keys add column created_by uuid; -- a key or a person; null for the open server
    alter table api_keys add column created_by_name text;
    update api_keys set role = case when read_only then 'viewer' else 'admin' end; -- a key keeps what it could do
    alter table api_keys alter column role set not null;
    alter table api_keys drop column read_only;

    create table prompt_environments (
      tenant_id uuid primary key references workspaces (id),
      environments jsonb not null, -- [{"name", "least_role"}], as they are listed
      updated_at timestamptz not null,
      updated_by_name text
    );

    alter table prompt_tag_moves add column performed_by_role text; -- of whoever moved it, then; null before this
  `,
}
