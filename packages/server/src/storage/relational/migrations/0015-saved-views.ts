import type { Migration } from '../migrate.ts'

/** Saved filters and columns for runs; a view without a project is offered in every project. */
export const savedViews: Migration = {
  version: 15,
  name: 'saved-views',
  sql: `
    create table saved_views (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id) on delete cascade,
      project_id uuid references projects (id) on delete cascade,
      name text not null,
      state jsonb not null,
      created_at timestamptz not null,
      modified_at timestamptz not null
    );
    create unique index saved_views_by_name
      on saved_views (tenant_id, coalesce(project_id, '00000000-0000-0000-0000-000000000000'), md5(name));
  `,
}
