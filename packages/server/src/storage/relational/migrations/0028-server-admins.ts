import type { Migration } from './index.ts'

/** Server administrators: on a server from before them, the oldest account that is an admin of a workspace. */
export const serverAdmins: Migration = {
  version: 28,
  name: 'server-admins',
  sql: `
    alter table people add column is_server_admin boolean not null default false;
    update people set is_server_admin = true where id = (
      select p.id from people p
      where p.removed_at is null and exists (
        select 1 from memberships m where m.person_id = p.id and m.role = 'admin' and m.removed_at is null)
      order by p.created_at, p.id
      limit 1);
  `,
}
