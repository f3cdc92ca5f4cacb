import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { columns, text } from '../../rows.ts'
import { openChdb } from '../chdb.ts'
import type { Analytics } from '../port.ts'
import { literal, sql, uuid } from '../sql.ts'
import { feedback } from './0002-feedback.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openChdb(mkdtempSync(join(tmpdir(), 'touchstone-chdb-')))
})
afterAll(() => analytics.close())

it('brings feedback of before over whole, however often it is run', async () => {
  const tenant_id = uuid7()
  const time = '2026-02-03 04:05:06.000007'
  const row = (fields: object) => ({
    tenant_id,
    id: uuid7(),
    key: 'k',
    feedback_source: '{"type":"MODEL"}',
    created_at: time,
    modified_at: time,
    version: 7,
    ...fields,
  })
  const [runId, projectId] = [uuid7(), uuid7()]
  const onRun = row({ run_id: runId, score: 1, value: '"po\\u006cite"', comment: 'c', start_time: time, error: 1 })
  const onProject = row({ session_id: projectId, value: '3', correction: '{"a":1}', feedback_source: '' })
  const replaced = { ...onRun, score: 0, version: 6 }
  const deleted = row({ run_id: runId, is_deleted: 1 })
  const rows = [replaced, onRun, onProject, deleted]
  await analytics.insert(
    'feedback',
    rows.map((one) => ({ json: JSON.stringify(one) })),
  )

  for (let round = 0; round < 2; round++) {
    for (const statement of feedback.statements) await analytics.command(literal(statement))
  }

  const found = await analytics.query(
    sql`
      select id, run_id, session_id, key, score, value, label, comment, correction, feedback_source, source_type, error,
        start_time, created_at, modified_at
      from run_feedback final where tenant_id = ${uuid(tenant_id)} order by score desc`,
    (row) => row,
  )
  const nil = '00000000-0000-0000-0000-000000000000'
  const { tenant_id: _, version, ...kept } = onRun
  expect(found).toEqual([
    { ...kept, session_id: null, label: 'polite', correction: '', source_type: 'model' },
    expect.objectContaining({
      id: onProject.id,
      run_id: nil,
      session_id: projectId,
      score: null,
      label: '3',
      correction: '{"a":1}',
      source_type: 'api',
    }),
  ])
  const keys = await analytics.query(
    sql`select id, run_id from feedback_keys final where tenant_id = ${uuid(tenant_id)} order by run_id`,
    columns({ id: text, run_id: text }),
  )
  expect(keys).toEqual([
    { id: onProject.id, run_id: nil },
    { id: onRun.id, run_id: runId },
  ])
})
