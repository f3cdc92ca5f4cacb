import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { columns, text } from '../../rows.ts'
import { openChdb } from '../chdb.ts'
import type { Analytics } from '../port.ts'
import { literal, sql, uuid } from '../sql.ts'
import { runLinks } from './0041-run-links.ts'
import { waitingRuns } from './0042-waiting-runs.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openChdb(mkdtempSync(join(tmpdir(), 'touchstone-chdb-')))
})
afterAll(() => analytics.close())

it('keeps the links of runs that wait, and from then on writes no others', async () => {
  const [tenant_id, session_id] = [uuid7(), uuid7()]
  const segment = (id: string) => `20261101T120000000000Z${id}`
  const insertTrace = async () => {
    const [root, child, missing, waiting, below] = [uuid7(), uuid7(), uuid7(), uuid7(), uuid7()] as const
    const paths = [
      { id: root, parent_run_id: null, way: [root] },
      { id: child, parent_run_id: root, way: [root, child] },
      { id: waiting, parent_run_id: root, way: [root, missing, waiting] },
      { id: below, parent_run_id: waiting, way: [root, missing, waiting, below] },
    ]
    const rows = paths.map(({ way, ...run }) => {
      const common = { tenant_id, session_id, trace_id: root, start_time: '2026-11-01 12:00:00.000000', version: 7 }
      return { json: JSON.stringify({ ...common, ...run, dotted_order: way.map(segment).join('.') }) }
    })
    await analytics.insert('runs', rows)
    return { key: missing, id: waiting }
  }
  const readLinks = () =>
    analytics.query(
      sql`select key, id from run_links final where tenant_id = ${uuid(tenant_id)} order by key`,
      columns({ key: text, id: text }),
    )
  // As before this migration.
  const view = runLinks.statements.find((statement) => statement.includes('materialized view'))!
  await analytics.command(literal(view.replace(/^.*? as/s, 'alter table run_links_follow modify query')))
  const before = await insertTrace()
  expect((await readLinks()).length).toBeGreaterThan(6)
  for (let round = 0; round < 2; round++) {
    for (const statement of waitingRuns.statements) {
      await analytics.command(
        literal(
          /^alter table run_links delete/.test(statement) ? `${statement} settings mutations_sync = 1` : statement,
        ),
      )
    }
  }
  const kept = await readLinks()
  expect(kept).toContainEqual(before)
  expect(kept.filter(({ key }) => key.startsWith('00000000-0000-0001-'))).toEqual([])
  const after = await insertTrace()
  expect((await readLinks()).filter((one) => !kept.some(({ key }) => key === one.key))).toEqual([after])
})
