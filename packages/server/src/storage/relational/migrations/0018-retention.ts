import type { Migration } from '../migrate.ts'

/** Number of days that traces are kept, 0 forever; a project without a row uses that of its workspace. */
export const retention: Migration = {
  version: 18,
  name: 'retention',
  sql: `
    create table workspace_retention (
      tenant_id uuid primary key references workspaces (id) on delete cascade,
      days integer not null
    );
    create table project_retention (
      project_id uuid primary key references projects (id) on delete cascade,
      tenant_id uuid not null,
      days integer not null
    );
    create index project_retention_of_workspace on project_retention (tenant_id);
  `,
}
