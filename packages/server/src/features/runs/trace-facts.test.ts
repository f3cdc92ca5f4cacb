import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql, uuid } from '../../storage/analytics/sql.ts'
import { columns, nullable, text } from '../../storage/rows.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { sumRows, USAGE, USAGE_COLUMNS, type UsageRow } from './subtree-totals.ts'
import { sumSubtrees } from './trace-facts.ts'

const TENANT = uuid7()
const TRACE = uuid7()

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

describe('usage below runs', () => {
  it('has the same totals as in the engine, for repeated usage, details, long costs and unusual paths', async () => {
    const { analytics } = app.deps
    const chain = run({ dotted_order: 'a', id: TRACE })
    const llm = run({
      dotted_order: 'a.b',
      parent_run_id: chain.id,
      run_type: 'llm',
      total_tokens: '30',
      prompt_tokens: '20',
      prompt_token_details: { cache_read: '7', ['__proto__']: '1', none: '0' },
      total_cost: '0.000000000000000001',
    })
    const repeats = run({ dotted_order: 'a.c', parent_run_id: chain.id, run_type: 'llm', total_tokens: '500' })
    const repeated = run({
      dotted_order: 'a.c.d',
      parent_run_id: repeats.id,
      run_type: 'llm',
      total_tokens: '5',
      prompt_token_details: { cache_read: '2' },
      total_cost: '12345678901.000000000000000009',
      prompt_cost_details: { cache_read: '0.5' },
    })
    const astray = run({ dotted_order: 'elsewhere', parent_run_id: uuid7(), run_type: 'llm', total_tokens: '1' })
    const withoutUsage = run({ dotted_order: 'a.e', parent_run_id: chain.id })
    const runs = [chain, llm, repeats, repeated, astray, withoutUsage]
    await analytics.insert(
      'trace_runs',
      runs.map((one) => ({ json: JSON.stringify(one) })),
    )

    const stored = await analytics.query(
      sql`
      select * from trace_runs final where tenant_id = ${uuid(TENANT)} and trace_id = ${uuid(TRACE)}`,
      columns({
        id: text,
        trace_id: text,
        parent_run_id: nullable(text),
        dotted_order: text,
        run_type: text,
        ...USAGE,
      }),
    )
    const here = sumRows(runs, stored, USAGE_COLUMNS)

    expect(here).toEqual(await sumSubtrees({ analytics }, TENANT, runs, USAGE_COLUMNS))
    expect(here.get(chain.id)).toMatchObject({ total_tokens: 36, total_cost: '12345678901.00000000000000001' })
    expect(here.has(withoutUsage.id)).toBe(false)
  })
})

function run(fields: Partial<UsageRow> & { readonly dotted_order: string }) {
  const id = uuid7()
  return {
    tenant_id: TENANT,
    session_id: TENANT,
    trace_id: TRACE,
    id,
    parent_run_id: null,
    run_type: 'chain',
    start_time: '2026-01-01 00:00:00.000000',
    version: 1,
    ...fields,
  }
}
