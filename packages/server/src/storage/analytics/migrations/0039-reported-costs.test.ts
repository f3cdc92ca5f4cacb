import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { columns, nullable, text } from '../../rows.ts'
import { openChdb } from '../chdb.ts'
import type { Analytics } from '../port.ts'
import { literal, sql, uuid } from '../sql.ts'
import { reportedCosts } from './0039-reported-costs.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openChdb(mkdtempSync(join(tmpdir(), 'touchstone-chdb-')))
})
afterAll(() => analytics.close())

it('marks costs that were stored before, however often it is run', async () => {
  const [tenant_id, since, gone] = [uuid7(), uuid7(), uuid7()]
  const time = '2026-02-03 04:05:06.000007'
  const common = { tenant_id, session_id: uuid7(), trace_id: uuid7(), start_time: time, run_type: 'llm', version: 7 }
  const rows = [
    { name: 'computed', total_cost: '2', price_model_id: uuid7() },
    { name: 'reported', total_cost: '0.5', price_model_id: null },
    { name: 'unknown', total_tokens: 3, price_model_id: null },
    { name: 'priced since', id: since, total_cost: '7', price_model_id: null },
    { name: 'priced since', id: since, total_cost: '3', price_model_id: uuid7(), version: 8 },
    { name: 'deleted since', id: gone, total_cost: '9', price_model_id: null },
    { name: 'deleted since', id: gone, total_cost: '9', price_model_id: null, version: 8, is_deleted: 1 },
  ].map((row) => JSON.stringify({ id: uuid7(), ...common, ...row, status: 'success', received_at: time }))
  // Each in a part of its own, so that older versions are stored.
  for (const json of rows) await analytics.insert('runs', [{ json }])
  const read = async (table: string) => {
    const found = await analytics.query(
      sql`select toString(total_cost) as total, toString(reported_cost) as reported from ${literal(table)} final
        where tenant_id = ${uuid(tenant_id)} order by total nulls last`,
      columns({ total: nullable(text), reported: nullable(text) }),
    )
    return found.map(({ total, reported }) => [total, reported])
  }
  const expected = [
    ['0.5', '0.5'],
    ['2', null],
    ['3', null],
    [null, null],
  ]
  for (const table of ['trace_runs', 'project_usage']) {
    expect(await read(table), table).toEqual(expected)
    const forget = `insert into ${table} select * replace (cast(null as Nullable(Decimal(38, 18))) as reported_cost) from ${table}`
    await analytics.command(literal(`${forget} final where tenant_id = '${tenant_id}'`))
    expect(
      (await read(table)).flatMap(([, reported]) => reported ?? []),
      table,
    ).toEqual([])
    for (let round = 0; round < 2; round++) {
      for (const statement of reportedCosts.statements) await analytics.command(literal(statement))
    }
    expect(await read(table), table).toEqual(expected)
  }
})
