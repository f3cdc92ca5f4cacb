import type { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { upgradedDatabase } from '../../../testing/upgraded-database.ts'

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const TENANT = id(1)
const [ADA, EVE, GONE] = [id(10), id(11), id(12)]

/** Rows as an earlier version wrote them. */
const OLD = `
  delete from projects;
  delete from workspaces;
  insert into workspaces (id, organization_id, display_name) values ('${TENANT}', '${id(2)}', 'Acme');
  insert into people (id, tenant_id, email, name, role, password_hash, created_at, removed_at) values
    ('${ADA}', '${TENANT}', 'ada@example.org', 'Ada', 'admin', 'x', '2026-01-01', null),
    ('${EVE}', '${TENANT}', 'eve@example.org', 'Eve', 'admin', '', '2026-01-02', '2026-02-01'),
    ('${GONE}', '${TENANT}', 'gone@example.org', 'Gone', 'viewer', '', '2026-01-03', '2026-02-01');
  insert into api_keys (id, tenant_id, hash, short_key, description, role, created_at, expires_at, revoked_at, created_by) values
    ('${id(20)}', '${TENANT}', 'a', 'a', 'of Ada', 'admin', '2026-01-01', '2026-06-01', null, '${ADA}'),
    ('${id(21)}', '${TENANT}', 'b', 'b', 'made with it', 'admin', '2026-01-02', null, null, '${id(20)}'),
    ('${id(22)}', '${TENANT}', 'c', 'c', 'and with that', 'member', '2026-01-03', '2026-03-01', null, '${id(21)}'),
    ('${id(30)}', '${TENANT}', 'd', 'd', 'of Eve, revoked', 'admin', '2026-01-01', null, '2026-02-01', '${EVE}'),
    ('${id(31)}', '${TENANT}', 'e', 'e', 'made with it', 'admin', '2026-01-02', null, null, '${id(30)}'),
    ('${id(40)}', '${TENANT}', 'f', 'f', 'kept', 'admin', '2026-01-02', null, null, '${GONE}'),
    ('${id(50)}', '${TENANT}', 'g', 'g', 'root', 'admin', '2026-01-02', null, null, null),
    ('${id(51)}', '${TENANT}', 'h', 'h', 'made with it', 'member', '2026-01-02', null, null, '${id(50)}');
  insert into invites (id, tenant_id, hash, role, created_by_name, created_at, expires_at) values
    ('${id(60)}', '${TENANT}', 'i', 'admin', 'Ada', '2026-01-02', '2027-01-02'),
    ('${id(61)}', '${TENANT}', 'j', 'admin', 'Eve', '2026-01-02', '2027-01-02'),
    ('${id(62)}', '${TENANT}', 'k', 'admin', null, '2026-01-02', '2027-01-02');`

describe('a database from before memberships', () => {
  let client: PGlite
  beforeAll(async () => {
    client = await upgradedDatabase(22, OLD)
  })
  afterAll(() => client.close())

  const rows = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows
  const keys = async (column: string) =>
    (await rows(`select ${column} as it from api_keys order by id`)).map(({ it }) => it)

  it('makes everybody a member of their workspace', async () => {
    expect(
      await rows('select person_id, role, removed_at is null as is_there from memberships order by person_id'),
    ).toEqual([
      { person_id: ADA, role: 'admin', is_there: true },
      { person_id: EVE, role: 'admin', is_there: false },
      { person_id: GONE, role: 'viewer', is_there: false },
    ])
    expect(await rows('select is_default from workspaces')).toEqual([{ is_default: true }])
  })

  it('gives keys the person, the end and the revocation of the chain that they come from', async () => {
    expect(await keys('person_id')).toEqual([ADA, ADA, ADA, null, null, null, null, null])
    expect(await keys('expires_at::date::text')).toEqual([
      '2026-06-01',
      '2026-06-01',
      '2026-03-01',
      null,
      null,
      null,
      null,
      null,
    ])
    expect(await keys('revoked_at is not null')).toEqual([false, false, false, true, true, false, false, false])
    expect(await keys('role')).toEqual(['admin', 'admin', 'member', 'admin', 'admin', 'viewer', 'admin', 'member'])
  })

  it('keeps invites whose maker is known, or never was', async () => {
    expect(await rows('select id, person_id from invites order by id')).toEqual([
      { id: id(60), person_id: ADA },
      { id: id(62), person_id: null },
    ])
  })
})
