import type { Migration } from '../migrate.ts'

/** Random secrets that all processes of one installation share, e.g. the secret that signs URLs. */
export const serverSecrets: Migration = {
  version: 2,
  name: 'server secrets',
  sql: `
    create table server_secrets (
      name text primary key,
      secret text not null -- hex
    );
  `,
}
