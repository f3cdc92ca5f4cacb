import type { Migration } from '../migrate.ts'

/** A view may belong to one person or key; names are unique among the shared views and among those of one owner. */
export const personalViews: Migration = {
  version: 19,
  name: 'personal-views',
  sql: `
    alter table saved_views add column owner_id text;
    drop index saved_views_by_name;
    create unique index saved_views_by_name on saved_views
      (tenant_id, coalesce(project_id, '00000000-0000-0000-0000-000000000000'), coalesce(owner_id, ''), md5(name));
  `,
}
