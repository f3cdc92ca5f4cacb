import { contract, RunConditions, timeOfEpochMs } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../../storage/analytics/sql.ts'
import { columns, nullable, text } from '../../../storage/rows.ts'
import { inventRuns } from '../../../testing/invent-runs.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { planUsage, selectMatchedRuns } from './matched-runs.ts'
import { listUsageBelow, UNKNOWN_USAGE, type UsagePlan } from './usage-below.ts'

let app: StartedApp
let tenantId: string
let project: string

const runs = inventRuns('nested', 80, 3)
/** Runs with the usage of an llm run above them, as wrappers of models send it. */
const repeated = runs
  .filter((run) => run.tokens)
  .filter((_, at) => at % 3 === 0)
  .map(({ sent }, at) => {
    const id = `01a00000-0000-7000-8000-${String(at).padStart(12, '0')}`
    const order = `${sent.dotted_order}.20260205T000000000000Z${id}`
    return { ...sent, id, parent_run_id: sent.id, dotted_order: order, start_time: '2026-02-05T00:00:00Z' }
  })

beforeAll(async () => {
  app = await startApp()
  tenantId = (await app.call(contract.workspaces.settings)).body.id
  const post = [...runs.map((run) => run.sent), ...repeated]
  expect((await app.call(contract.runs.batch, { body: { post } })).status).toBe(202)
  project = (await app.call(contract.projects.list, { query: { name: 'nested' } })).body[0]!.id
})
afterAll(() => app.close())

const starts = runs.map((run) => run.startMs).sort((one, other) => one - other)
const at = (share: number) => timeOfEpochMs(starts[Math.floor(share * (starts.length - 1))]!)

const WINDOWS: readonly Partial<RunConditions>[] = [
  {},
  { start_time: at(0.3) },
  { end_time: at(0.7) },
  { start_time: at(0.25), end_time: at(0.5) },
  { start_time: at(0.6), end_time: at(0.61) },
]

const CONDITIONS: readonly Partial<RunConditions>[] = [
  { run_type: 'llm' },
  { run_type: 'chain' },
  { is_root: false },
  { error: true },
  { filter: 'eq(name, "plan")' },
  { filter: 'or(eq(is_root, true), has(tags, "odd"))' },
  { tree_filter: 'eq(status, "error")', run_type: 'chain' },
  { trace: runs[0]!.root, filter: 'neq(run_type, "llm")' },
  { parent_run: runs[0]!.root },
]

describe.each(WINDOWS)('usage below the runs of a query in %j', (window) => {
  it.each(CONDITIONS)('is the same when the runs below are listed first: %j', async (conditions) => {
    const query = RunConditions.parse({ session: [project], ...window, ...conditions })
    const plan = await planUsage(app.deps, tenantId, query)
    expect(plan.below).toBeDefined()
    expect(await readUsage(query, plan)).toEqual(await readUsage(query, UNKNOWN_USAGE))
  })
})

describe('the runs below those of a query', () => {
  it('need no comparison with their children where no usage may repeat', async () => {
    const [root] = inventRuns('flat', 1, 4)
    const { id, sent } = root!
    const usage = { usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } }
    const order = `${sent.dotted_order}.20260205T000000000000Z01a10000-0000-7000-8000-000000000001`
    const child = {
      ...{ ...sent, id: '01a10000-0000-7000-8000-000000000001', run_type: 'llm', outputs: usage },
      ...{ trace_id: id, parent_run_id: id, dotted_order: order },
    }
    const post = [{ ...sent, run_type: 'chain', outputs: {} }, child]
    expect((await app.call(contract.runs.batch, { body: { post } })).status).toBe(202)
    const flat = (await app.call(contract.projects.list, { query: { name: 'flat' } })).body[0]!.id
    const query = RunConditions.parse({ session: [flat], run_type: 'llm' })
    const plan = await planUsage(app.deps, tenantId, query)
    expect(plan).toEqual({ below: [], mayRepeat: false })
    expect(await readUsage(query, plan)).toEqual([expect.objectContaining({ used_total_tokens: '5' })])
    expect(await readUsage(query, UNKNOWN_USAGE)).toEqual(await readUsage(query, plan))
  })

  it('are none where all runs with usage are of the query', async () => {
    const query = RunConditions.parse({ session: [project], run_type: 'llm' })
    expect(await listUsageBelow(app.deps, tenantId, query)).toEqual([])
  })
})

function readUsage(query: RunConditions, plan: UsagePlan) {
  return app.deps.analytics.query(
    sql`
    select run_id, used_total_tokens, used_prompt_tokens, used_total_cost
    from (${selectMatchedRuns(tenantId, query, { plan })})
    order by run_id`,
    columns({
      run_id: text,
      used_total_tokens: nullable(text),
      used_prompt_tokens: nullable(text),
      used_total_cost: nullable(text),
    }),
  )
}
