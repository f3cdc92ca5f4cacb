import type { Migration } from '../migrate.ts'

/** The lower of two roles. */
const lower = (a: string, b: string) => `
  case when 'viewer' in (${a}, ${b}) then 'viewer' when 'member' in (${a}, ${b}) then 'member' else 'admin' end`

/**
 * People are members of workspaces, with a role in each, and every key and invite names the person that it belongs to.
 * Keys that were made by other keys get the person, the end and the revocation of the first key of their chain.
 */
export const memberships: Migration = {
  version: 22,
  name: 'memberships',
  sql: `
    alter table workspaces add column is_default boolean not null default false; -- its id names the cookie
    update workspaces set is_default = true where id = (select id from workspaces order by created_at, id limit 1);
    create unique index workspaces_default on workspaces (is_default) where is_default;

    create table memberships (
      person_id uuid not null references people (id),
      tenant_id uuid not null references workspaces (id),
      role text not null, -- viewer, member or admin
      created_at timestamptz not null,
      last_seen_at timestamptz,
      removed_at timestamptz, -- the row stays: it names who did what in this workspace
      primary key (person_id, tenant_id)
    );
    insert into memberships (person_id, tenant_id, role, created_at, last_seen_at, removed_at)
      select id, tenant_id, role, created_at, last_seen_at, removed_at from people;
    create index memberships_of_workspace on memberships (tenant_id) where removed_at is null;

    alter table api_keys add column person_id uuid references people (id); -- null for a key that nobody owns
    with recursive family as (
      select k.id, k.tenant_id, p.id as person_id, k.expires_at, k.revoked_at
      from api_keys k left join people p on p.id = k.created_by and p.tenant_id = k.tenant_id
      where not exists (select 1 from api_keys m where m.id = k.created_by and m.tenant_id = k.tenant_id)
      union
      select k.id, k.tenant_id, f.person_id, least(k.expires_at, f.expires_at), coalesce(k.revoked_at, f.revoked_at)
      from api_keys k join family f on f.id = k.created_by and f.tenant_id = k.tenant_id
    )
    update api_keys k set person_id = f.person_id, expires_at = f.expires_at, revoked_at = f.revoked_at
      from family f where f.id = k.id;
    -- Keys that were kept when their person was removed stay, with no more than that person could do last.
    update api_keys k set role = ${lower('k.role', 'p.role')}, person_id = null
      from people p where p.id = k.person_id and p.removed_at is not null;
    create index api_keys_of_person on api_keys (person_id) where person_id is not null;
    create index api_keys_of_maker on api_keys (created_by) where created_by is not null;

    alter table invites add column person_id uuid references people (id);
    alter table invites add column created_by uuid; -- a key or a person; null for the open server
    -- Older invites name their maker only by name. Where that does not tell who it was, the invite ends.
    update invites i set person_id = p.id, created_by = p.id
      from people p
      where p.tenant_id = i.tenant_id and p.name = i.created_by_name and p.removed_at is null
        and 1 = (select count(*) from people q where q.tenant_id = i.tenant_id and q.name = i.created_by_name);
    delete from invites where created_by_name is not null and person_id is null;

    drop index people_of_workspace;
    alter table people drop column tenant_id;
    alter table people drop column role;
    alter table people drop column last_seen_at;
  `,
}
