import {
  contract,
  FILTER_OPERATORS,
  type Filter,
  parseFilter,
  printFilter,
  RUN_FILTER_FIELDS,
} from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { join, literal, sql, uuid } from '../../../storage/analytics/sql.ts'
import { withLookups } from '../../../storage/analytics/wrappers.ts'
import { columns, list, number, text } from '../../../storage/rows.ts'
import { isFull } from '../../../testing/rounds.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { compileFilter } from './compile.ts'
import { describeComparisons } from './testing/describe-comparisons.ts'
import { satisfies } from './testing/evaluate-filter.ts'
import { randomFilter } from './testing/random-filter.ts'
import { createRandom, DATASETS, type OracleRun, randomRuns } from './testing/random-runs.ts'

/** The same filters in each run, so that a failure is caused by a change. FILTER_SEED=… tries other filters. */
const SEED = Number(process.env.FILTER_SEED ?? 1)
const FILTERS = 6_000
/** Each change asks for the first of them, and for each that has a kind of comparison which none before it has. */
const FIRST = isFull ? FILTERS : 200
const BY_HTTP = isFull ? 300 : 50
/** Filters that are asked for in one statement. */
const AT_ONCE = 20

const random = createRandom(SEED)
const runs = randomRuns(random, 400)
const byId = new Map(runs.map((run) => [run.id, run]))
let app: StartedApp
let tenantId: string

beforeAll(async () => {
  app = await startApp()
  tenantId = (await app.call(contract.workspaces.settings)).body.id
  const { body } = await app.call(contract.runs.batch, { body: { post: runs.map(asSent) } })
  expect(body.errors ?? []).toEqual([])
  const given = runs.flatMap((run) => run.feedback.map((feedback) => ({ run_id: run.id, ...feedback })))
  await Promise.all(given.map(give))
  await attach()
  await fillDatasets()
})
afterAll(() => app.close())

async function give(feedback: object) {
  const answer = await app.fetch('/feedback', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(feedback),
  })
  expect(answer.status, await answer.text()).toBe(200)
}

async function attach() {
  const form = new FormData()
  for (const { id, attachments } of runs) {
    for (const name of attachments) form.append(`attachment.${id}.${name}`, new Blob(['x'], { type: 'text/plain' }))
  }
  expect((await app.fetch('/runs/multipart', { method: 'POST', body: form })).status).toBe(202)
}

async function fillDatasets() {
  for (const [id, examples] of DATASETS) {
    await app.call(contract.datasets.create, { body: { id, name: id } })
    const body = examples.map((example) => ({ id: example, dataset_id: id, inputs: {} }))
    expect((await app.call(contract.examples.createMany, { body })).status).toBe(200)
  }
  const [dataset_id] = DATASETS.keys()
  const body = runs.filter((run) => run.in_dataset).map(({ id }) => ({ dataset_id, inputs: {}, source_run_id: id }))
  expect((await app.call(contract.examples.createMany, { body })).status).toBe(200)
}

function asSent(run: OracleRun) {
  const { start, end, tokens, cost, feedback: _, attachments: _a, in_dataset: _i, metadata, ...rest } = run
  const usage =
    tokens === null
      ? {}
      : {
          usage_metadata: {
            input_tokens: tokens,
            output_tokens: 0,
            total_tokens: tokens,
            ...(cost !== null && { total_cost: cost }),
          },
        }
  return {
    ...rest,
    start_time: new Date(start).toISOString(),
    ...(end !== null && { end_time: new Date(end).toISOString() }),
    extra: { metadata: { ...metadata, ...usage } },
    session_name: 'oracle',
  }
}

/** Usage is sent as metadata, so the oracle sees it there too. */
const asSeen = runs.map((run) => ({ ...run, metadata: asSent(run).extra.metadata }))

function expected(filter: Filter): string[] {
  return asSeen.filter((run) => satisfies(filter, run, asSeen)).map(({ id }) => id)
}

const inOrder = (ids: Iterable<string>) => [...ids].sort((a, b) => byId.get(a)!.start - byId.get(b)!.start)

async function foundAtOnce(filters: readonly Filter[]): Promise<string[][]> {
  const context = { tenantId, projectIds: [] }
  const conditions = filters.map((filter) => sql`toUInt8(${compileFilter(filter, context)})`)
  const rows = await withLookups(app.deps.analytics, app.deps.relational).query(
    sql`
    select id as run, [${join(conditions, ', ')}] as matches from runs final where tenant_id = ${uuid(tenantId)}`,
    columns({ run: text, matches: list(number) }),
  )
  return filters.map((_, at) => inOrder(rows.filter(({ matches }) => matches[at] === 1).map(({ run }) => run)))
}

/** As a user's filter comes: printed and read again. */
const written = () => parseFilter(printFilter(randomFilter(random, runs)))!

/** Half of the filters; what is asked for has every kind of comparison that the whole half has. */
function chooseFilters(): Filter[] {
  const known = new Set<string>()
  return Array.from({ length: FILTERS / 2 }, written).filter((filter, at) => {
    const added = describeComparisons(filter).filter((kind) => !known.has(kind))
    for (const kind of added) known.add(kind)
    return added.length > 0 || at < FIRST / 2
  })
}

async function agree(all: readonly Filter[]): Promise<number> {
  let hits = 0
  for (let done = 0; done < all.length; done += AT_ONCE) {
    const filters = all.slice(done, done + AT_ONCE)
    const found = await foundAtOnce(filters)
    for (const [at, filter] of filters.entries()) {
      const wanted = expected(filter)
      hits += wanted.length > 0 && wanted.length < runs.length ? 1 : 0
      expect(found[at], `FILTER_SEED=${SEED}: ${printFilter(filter)}`).toEqual(wanted)
    }
  }
  return hits
}

/** Fields that random filters do not name. */
const NOT_RANDOM = new Set(
  `session_id reference_example_id thread_id execution_order first_token_time error_group model provider
  prompt_tokens completion_tokens prompt_cost completion_cost`.split(/\s+/),
)

describe('random filters over random runs', () => {
  it('match the same runs as the oracle without indexes', { timeout: 300_000 }, async () => {
    const filters = chooseFilters()
    const words = filters.flatMap(describeComparisons).map((kind) => kind.split(' '))
    const compared = FILTER_OPERATORS.map(({ name }) => name).filter((name) => !['and', 'or', 'not'].includes(name))
    expect(new Set(words.map(([, operator]) => operator))).toEqual(new Set(compared))
    const fields = Object.keys(RUN_FILTER_FIELDS).filter((name) => !NOT_RANDOM.has(name))
    expect([...new Set(words.map(([field]) => field))]).toEqual(expect.arrayContaining(fields))
    const hits = await agree(filters)
    expect(hits).toBeGreaterThan(filters.length / 4)
  })

  it('match the same runs as the oracle with indexes', { timeout: 300_000 }, async () => {
    await app.deps.analytics.command(literal('optimize table runs final'))
    await agree(chooseFilters())
  })

  it('match the same runs in pages of a query', { timeout: 300_000 }, async () => {
    const project = (await app.call(contract.projects.list, { query: { name: 'oracle' } })).body[0]!.id
    for (let done = 0; done < BY_HTTP; done++) {
      const filter = written()
      const found: string[] = []
      let cursor: string | null = null
      do {
        const { body, status, text }: Awaited<ReturnType<typeof ask>> = await ask(project, printFilter(filter), cursor)
        expect(status, text).toBe(200)
        found.push(...body.runs.map(({ id }) => id))
        cursor = body.cursors.next
      } while (cursor !== null)
      expect(found, `FILTER_SEED=${SEED}: ${printFilter(filter)}`).toEqual(expected(filter))
    }
  })

  const ask = (project: string, filter: string, cursor: string | null) =>
    app.call(contract.runs.query, { body: { session: [project], filter, cursor, order: 'asc', select: ['id'] } })
})
