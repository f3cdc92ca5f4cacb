import type { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { upgradedDatabase } from '../../../testing/upgraded-database.ts'

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const [REMOVED, VIEWER, FIRST, SECOND] = [id(10), id(11), id(12), id(13)]

/** Rows as an earlier version wrote them. */
const OLD = `
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
    client = await upgradedDatabase(28, OLD)
  })
  afterAll(() => client.close())

  it('makes the oldest account that is an admin one', async () => {
    const { rows } = await client.query('select id from people where is_server_admin')
    expect(rows).toEqual([{ id: FIRST }])
  })
})
