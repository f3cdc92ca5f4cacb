import type { Migration } from '../migrate.ts'

/** People with passwords, their sign-ins, and invites. */
export const people: Migration = {
  version: 14,
  name: 'people',
  sql: `
    create table people (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      email text not null, -- in lower case
      name text not null,
      role text not null, -- viewer, member or admin
      password_hash text not null, -- scrypt with its parameters and salt; '' once removed
      created_at timestamptz not null,
      last_seen_at timestamptz,
      removed_at timestamptz -- the row stays: it names who did what
    );
    create unique index people_by_email on people (email) where removed_at is null;
    create index people_of_workspace on people (tenant_id) where removed_at is null;

    create table sign_ins (
      id uuid primary key,
      tenant_id uuid not null,
      person_id uuid not null references people (id) on delete cascade,
      hash text not null unique, -- SHA-256 in hex of a random token
      user_agent text,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index sign_ins_of_person on sign_ins (person_id, last_used_at desc);

    create table invites (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      hash text not null unique, -- SHA-256 in hex of a random token
      role text not null,
      email text, -- the only one that may use it
      created_by_name text,
      created_at timestamptz not null,
      expires_at timestamptz not null
    ); -- a row goes when it is used or revoked
    create index invites_of_workspace on invites (tenant_id, created_at desc);
  `,
}
