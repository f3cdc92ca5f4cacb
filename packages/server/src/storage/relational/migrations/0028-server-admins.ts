import type { Migration } from '../migrate.ts'

/**
 * Server administrators: on an existing server, the oldest account that is an admin of a workspace. All workspaces can
 * be deleted, also the first one, whose id was part of the names of cookies.
 */
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

    create table server_identity (
      only_row boolean primary key default true check (only_row),
      id uuid not null -- names the cookies: several servers may share a host
    );
    insert into server_identity (id) select id from workspaces where is_default;

    -- The row of a deleted workspace stays, without its name: what a late request stores in it is found and removed.
    alter table workspaces add column deleted_at timestamptz;
    alter table workspaces add column deletion_id uuid; -- of the record that says what was removed
    alter table workspaces add column purged_at timestamptz; -- when nothing was left of it
    alter table deletions add column requester_id uuid; -- of the person or key; null while the server is open
  `,
}
