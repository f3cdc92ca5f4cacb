import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrateRelational } from '../migrate.ts'
import type { Relational } from '../port.ts'
import { migrations } from './index.ts'

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const [REMOVED, VIEWER, FIRST, SECOND] = [id(10), id(11), id(12), id(13)]

/** As an earlier program wrote it. */
const OLD = `
  create table migrations (version int primary key, name text not null, applied_at timestamptz not null default now());
  ${migrations
    .filter(({ version }) => version < 28)
    .map(
      ({ version, name, sql }) =>
        `${sql.trim().replace(/;$/, '')}\n; insert into migrations values (${version}, '${name}');`,
    )
    .join('\n')}
  insert into workspaces (id, organization_id, display_name) values ('${id(1)}', '${id(2)}', 'Acme');
  insert into people (id, email, name, password_hash, created_at, removed_at) values
    ('${REMOVED}', 'eve@example.org', 'Eve', '', '2026-01-01', '2026-02-01'),
    ('${VIEWER}', 'vic@example.org', 'Vic', 'x', '2026-01-02', null),
    ('${FIRST}', 'ada@example.org', 'Ada', 'x', '2026-01-03', null),
    ('${SECOND}', 'bea@example.org', 'Bea', 'x', '2026-01-04', null);
  insert into memberships (person_id, tenant_id, role, created_at, removed_at) values
    ('${REMOVED}', '${id(1)}', 'admin', '2026-01-01', '2026-02-01'),
    ('${VIEWER}', '${id(1)}', 'viewer', '2026-01-02', null),
    ('${FIRST}', '${id(1)}', 'admin', '2026-01-03', null),
    ('${SECOND}', '${id(1)}', 'admin', '2026-01-04', null);`

describe('a database from before server administrators', () => {
  let client: PGlite
  beforeAll(async () => {
    client = await PGlite.create('memory://')
    await client.exec(OLD)
    const db = drizzle(client)
    const transaction: unknown = (work: (tx: unknown) => Promise<unknown>) => db.transaction(work)
    await migrateRelational({ transaction } as Relational)
  })
  afterAll(() => client.close())

  it('makes the oldest account that is an admin one', async () => {
    const { rows } = await client.query('select id from people where is_server_admin')
    expect(rows).toEqual([{ id: FIRST }])
  })
})
