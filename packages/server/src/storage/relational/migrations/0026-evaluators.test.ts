import type { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { upgradedDatabase } from '../../../testing/upgraded-database.ts'

const TENANT = '00000000-0000-7000-8000-000000000001'

/** Rows as an earlier version wrote them. */
const OLD = `
  insert into workspaces (id, organization_id, display_name) values ('${TENANT}', '${TENANT}', 'Acme');
  insert into feedback_configs (tenant_id, feedback_key, config, is_lower_score_better, modified_at, deleted_at) values
    ('${TENANT}', 'tone', '{"type":"freeform"}', true, '2026-01-01', null),
    ('${TENANT}', 'gone', '{"type":"freeform"}', false, '2026-01-01', '2026-02-01');`

describe('a database whose feedback configs have no ids', () => {
  let client: PGlite
  beforeAll(async () => {
    client = await upgradedDatabase(26, OLD)
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
