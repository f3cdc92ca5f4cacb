import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrateRelational } from '../migrate.ts'
import type { Relational } from '../port.ts'
import { migrations } from './index.ts'

const TENANT = '00000000-0000-7000-8000-000000000001'

/** As an earlier program wrote it. */
const OLD = `
  create table migrations (version int primary key, name text not null, applied_at timestamptz not null default now());
  ${migrations
    .filter(({ version }) => version < 26)
    .map(
      ({ version, name, sql }) =>
        `${sql.trim().replace(/;$/, '')}\n; insert into migrations values (${version}, '${name}');`,
    )
    .join('\n')}
  insert into workspaces (id, organization_id, display_name) values ('${TENANT}', '${TENANT}', 'Acme');
  insert into feedback_configs (tenant_id, feedback_key, config, is_lower_score_better, modified_at, deleted_at) values
    ('${TENANT}', 'tone', '{"type":"freeform"}', true, '2026-01-01', null),
    ('${TENANT}', 'gone', '{"type":"freeform"}', false, '2026-01-01', '2026-02-01');`

describe('a database whose feedback configs have no ids', () => {
  let client: PGlite
  beforeAll(async () => {
    client = await PGlite.create('memory://')
    await client.exec(OLD)
    const db = drizzle(client)
    const transaction: unknown = (work: (tx: unknown) => Promise<unknown>) => db.transaction(work)
    await migrateRelational({ transaction } as Relational)
  })
  afterAll(() => client.close())

  it('keeps them, each with an id, as the first of their keys', async () => {
    const { rows } = await client.query(`
      select feedback_key, is_lower_score_better, is_enforced, is_first, deleted_at is null as is_live, id is not null as has_id
      from feedback_configs order by feedback_key`)
    expect(rows).toEqual([
      {
        feedback_key: 'gone',
        is_lower_score_better: false,
        is_enforced: false,
        is_first: true,
        is_live: false,
        has_id: true,
      },
      {
        feedback_key: 'tone',
        is_lower_score_better: true,
        is_enforced: false,
        is_first: true,
        is_live: true,
        has_id: true,
      },
    ])
  })
})
