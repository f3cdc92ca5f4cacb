import type { Migration } from '../migrate.ts'

/** Named pages of charts; a dashboard without a project is offered in every project. */
export const dashboards: Migration = {
  version: 17,
  name: 'dashboards',
  sql: `
    create table dashboards (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id) on delete cascade,
      project_id uuid references projects (id) on delete cascade,
      name text not null,
      charts jsonb not null, -- in their order; they are read and written together
      created_at timestamptz not null,
      modified_at timestamptz not null
    );
    create unique index dashboards_by_name
      on dashboards (tenant_id, coalesce(project_id, '00000000-0000-0000-0000-000000000000'), md5(name));
  `,
}
