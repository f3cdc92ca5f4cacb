import type { Migration } from '../migrate.ts'

/** Records that a key or an account was once created: from then on the server requires credentials. */
export const serverSetup: Migration = {
  version: 23,
  name: 'server-setup',
  sql: `
    create table server_setup (
      only_row boolean primary key default true check (only_row),
      set_up_at timestamptz not null default now()
    );
    insert into server_setup (only_row)
      select true where exists (select 1 from api_keys) or exists (select 1 from people);
  `,
}
