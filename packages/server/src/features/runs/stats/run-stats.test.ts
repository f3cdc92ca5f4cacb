import { contract, type RunStats, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InventedRun, inventRuns, quantile } from '../../../testing/invent-runs.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

let app: StartedApp
let runs: InventedRun[]
let others: InventedRun[]
let project: string
let otherProject: string

beforeAll(async () => {
  app = await startApp()
  runs = inventRuns('figures', 60)
  others = inventRuns('others', 20, 2)
  // Half of the runs come in two steps, as clients send them.
  const halves = runs.filter((_, at) => at % 2 === 0)
  const begun = halves.map(({ sent: { end_time: _, outputs: __, error: ___, ...begun } }) => begun)
  await send({ post: [...begun, ...runs.filter((_, at) => at % 2 === 1).map((run) => run.sent)] })
  await send({ patch: halves.map((run) => run.sent) })
  await send({ post: others.map((run) => run.sent) })
  project = await projectOf('figures')
  otherProject = await projectOf('others')
  for (const [at, run] of runs.entries()) {
    if (at % 3 === 0) await app.call(contract.feedback.create, { body: scoreOf(run, at) })
  }
})
afterAll(() => app.close())

async function send(body: object): Promise<void> {
  const { status, text } = await app.call(contract.runs.batch, { body })
  expect(status, text).toBe(202)
  expect(text).not.toContain('errors')
}

const projectOf = async (name: string) => (await app.call(contract.projects.list, { query: { name } })).body[0]!.id
const scoreOf = (run: InventedRun, at: number) => ({ id: uuid7(), run_id: run.id, key: 'correct', score: at % 2 })
const scored = (of: readonly InventedRun[]) => of.filter((run) => runs.indexOf(run) >= 0 && runs.indexOf(run) % 3 === 0)

async function statsOf(body: object): Promise<RunStats> {
  const { status, text, body: stats } = await app.call(contract.runStats.stats, { body })
  expect(status, text).toBe(200)
  return stats as RunStats
}

/** The same figures from what was sent. Usage goes to the nearest run of the query above it. */
function expected(matched: readonly InventedRun[], all: readonly InventedRun[] = [...runs, ...others]) {
  const known = new Map(all.map((run) => [run.id, run]))
  const wanted = new Set(matched.map((run) => run.id))
  const used = new Map<string, InventedRun[]>()
  for (const user of all.filter((run) => run.tokens)) {
    let nearest: InventedRun | undefined = user
    while (nearest && !wanted.has(nearest.id)) nearest = known.get(nearest.parent ?? '')
    if (nearest) used.set(nearest.id, [...(used.get(nearest.id) ?? []), user])
  }
  const sum = (of: readonly InventedRun[], value: (run: InventedRun) => number | undefined) =>
    of.reduce((total, run) => total + (value(run) ?? 0), 0)
  const totals = [...used.values()].map((users) => sum(users, (user) => user.tokens!.prompt + user.tokens!.completion))
  const costs = [...used.values()]
    .filter((users) => users.some((user) => user.cost !== undefined))
    .map((users) => sum(users, (user) => user.cost))
  const users = [...used.values()].flat()
  const latencies = matched.flatMap((run) => (run.latencyMs === undefined ? [] : [run.latencyMs / 1000]))
  const firsts = matched.flatMap((run) => (run.firstTokenMs === undefined ? [] : [run.firstTokenMs / 1000]))
  return {
    run_count: matched.length,
    latency_p50: quantile(latencies, 0.5),
    latency_p99: quantile(latencies, 0.99),
    first_token_p50: quantile(firsts, 0.5),
    first_token_p99: quantile(firsts, 0.99),
    total_tokens: sum(users, (user) => user.tokens!.prompt + user.tokens!.completion),
    prompt_tokens: sum(users, (user) => user.tokens!.prompt),
    completion_tokens: sum(users, (user) => user.tokens!.completion),
    median_tokens: quantile(totals, 0.5),
    tokens_p99: quantile(totals, 0.99),
    error_rate: matched.filter((run) => run.failed).length / matched.length,
    streaming_rate: firsts.length / matched.length,
    total_cost:
      costs.length === 0
        ? null
        : expect.closeTo(
            sum(users, (user) => user.cost),
            9,
          ),
    cost_p99: costs.length === 0 ? null : expect.closeTo(quantile(costs, 0.99)!, 9),
    last_run_start_time: `${new Date(Math.max(...matched.map((run) => run.startMs))).toISOString().slice(0, -1)}000Z`,
  }
}

const isRoot = (run: InventedRun) => run.parent === undefined

describe('figures of a query', () => {
  it('cover all runs of a project', async () => {
    expect(await statsOf({ session: [project] })).toMatchObject(expected(runs))
  })

  it('cover root runs, with the usage of whole traces', async () => {
    expect(await statsOf({ session: [project], is_root: true })).toMatchObject(expected(runs.filter(isRoot)))
  })

  it('cover several projects', async () => {
    const session = [project, otherProject]
    expect(await statsOf({ session, is_root: true })).toMatchObject(expected([...runs, ...others].filter(isRoot)))
    expect(await statsOf({ session })).toMatchObject(expected([...runs, ...others]))
  })

  it.each([
    ['a type', { run_type: 'chain' }, (run: InventedRun) => run.runType === 'chain'],
    ['errors', { error: true }, (run: InventedRun) => run.failed],
    ['a name', { filter: 'eq(name, "plan")' }, (run: InventedRun) => run.name === 'plan'],
    [
      'tags and metadata',
      { filter: 'and(has(tags, "odd"), eq(metadata_key, "user"), eq(metadata_value, "bob"))' },
      (run: InventedRun) => run.tags.includes('odd') && run.user === 'bob',
    ],
    ['those below roots', { is_root: false }, (run: InventedRun) => !isRoot(run)],
  ])('count usage once below runs of %s', async (_, condition, fits) => {
    expect(await statsOf({ session: [project], ...condition })).toMatchObject(expected(runs.filter(fits)))
  })

  it('include details without other changes', async () => {
    const stats = await statsOf({ session: [project], is_root: true, include_details: true })
    expect(stats).toMatchObject(expected(runs.filter(isRoot)))
    expect(stats.prompt_token_details).toEqual({})
  })

  it('sum details over runs and their descendants', async () => {
    const [one, two] = inventRuns('detailed', 9, 5).filter(isRoot)
    const usage = (cached: number) => ({
      usage_metadata: {
        input_tokens: 10,
        output_tokens: 1,
        total_tokens: 11,
        input_token_details: { cache_read: cached },
      },
    })
    const below = {
      ...two!.sent,
      run_type: 'llm',
      outputs: usage(4),
      trace_id: one!.id,
      parent_run_id: one!.id,
      dotted_order: `${one!.sent.dotted_order}.${two!.sent.dotted_order}`,
    }
    const alone = { ...inventRuns('detailed', 1, 6)[0]!.sent, run_type: 'llm', outputs: usage(3) }
    await send({ post: [{ ...one!.sent, run_type: 'chain', outputs: {} }, below, alone] })
    const session = [await projectOf('detailed')]
    for (const is_root of [true, undefined]) {
      const stats = await statsOf({ session, is_root, include_details: true })
      expect(stats).toMatchObject({ total_tokens: 22, prompt_token_details: { cache_read: 7 } })
    }
  })

  it('are restricted to a time range', async () => {
    const from = Date.UTC(2026, 1, 4)
    const inside = runs.filter((run) => isRoot(run) && run.startMs >= from)
    const start_time = new Date(from).toISOString()
    expect(await statsOf({ session: [project], is_root: true, start_time })).toMatchObject(expected(inside))
  })

  it('are zero or null without runs', async () => {
    expect(await statsOf({ session: [uuid7()] })).toMatchObject({
      run_count: 0,
      latency_p50: null,
      error_rate: null,
      total_tokens: 0,
      total_cost: null,
      last_run_start_time: null,
    })
    expect(await statsOf({ reference_dataset_id: uuid7() })).toMatchObject({ run_count: 0 })
  })

  it('include feedback and facets only when selected', async () => {
    const stats = {
      ...(await statsOf({ session: [project] })),
      ...(await statsOf({ session: [project], select: ['run_facets'] })),
    }
    expect(stats.feedback_stats!.correct!.n).toBe(scored(runs).length)
    const chains = runs.filter((run) => run.runType === 'chain').length
    expect(stats.run_facets).toContainEqual({
      key: 'run_type',
      value: 'chain',
      query: 'eq(run_type, "chain")',
      n: chains,
    })
    const selected = await statsOf({ session: [project], select: ['run_count', 'latency_avg'] })
    expect(Object.keys(selected).sort()).toEqual(['latency_avg', 'run_count'])
  })

  it('include feedback on threads separately on request', async () => {
    const wrap = (name: string, thread_id?: string) => {
      const id = uuid7()
      const start_time = new Date().toISOString()
      const dotted_order = `${start_time.replaceAll(/[-:.Z]/g, '')}000Z${id}`
      const extra = { metadata: { thread_id } }
      return {
        id,
        trace_id: id,
        dotted_order,
        start_time,
        name,
        run_type: 'chain',
        extra,
        session_name: 'judged threads',
      }
    }
    const post = [wrap('ask', 'a'), wrap('ask', 'a'), wrap('tell', 'b'), wrap('ask')]
    await send({ post })
    const session = [await projectOf('judged threads')]
    const judge = (body: object) => app.call(contract.feedback.create, { body: { id: uuid7(), key: 'kind', ...body } })
    await judge({ run_id: post[1]!.id, score: 1, feedback_thread_id: 'a' })
    await judge({ session_id: session[0], score: 0, feedback_thread_id: 'b' })
    await judge({ session_id: session[0], score: 0, feedback_thread_id: 'of no run' })
    await judge({ session_id: project, score: 0, feedback_thread_id: 'a' })
    await judge({ run_id: post[0]!.id, score: 0 })

    const select = ['run_count', 'thread_feedback_stats']
    expect(await statsOf({ session, select })).toMatchObject({
      run_count: 4,
      thread_feedback_stats: { kind: { n: 2, avg: 0.5, contains_thread_feedback: true } },
    })
    expect(await statsOf({ session, select, filter: 'eq(thread_id, "a")' })).toMatchObject({
      thread_feedback_stats: { kind: { n: 1, avg: 1 } },
    })
    const byName = await statsOf({ session, select, group_by: { attribute: 'name' } })
    expect(byName).toMatchObject({
      ask: { run_count: 3, thread_feedback_stats: { kind: { n: 1, avg: 1 } } },
      tell: { run_count: 1, thread_feedback_stats: { kind: { n: 1, avg: 0 } } },
    })
    expect(await statsOf({ session })).not.toHaveProperty('thread_feedback_stats')
  })

  it('count nested llm runs once', async () => {
    const [wrapper, inner] = inventRuns('wrapped', 40, 7)
      .filter((run) => isRoot(run) && run.runType === 'llm' && run.tokens)
      .slice(0, 2)
    const below = {
      ...inner!.sent,
      trace_id: wrapper!.id,
      parent_run_id: wrapper!.id,
      dotted_order: `${wrapper!.sent.dotted_order}.${inner!.sent.dotted_order}`,
    }
    await send({ post: [wrapper!.sent, below] })
    const session = [await projectOf('wrapped')]
    const tokens = inner!.tokens!.prompt + inner!.tokens!.completion
    expect(await statsOf({ session })).toMatchObject({ run_count: 2, total_tokens: tokens })
    expect(await statsOf({ session, is_root: true })).toMatchObject({ run_count: 1, total_tokens: tokens })
  })
})

describe('figures by group', () => {
  const groupsOf = async (body: object) =>
    (await app.call(contract.runStats.stats, { body: { session: [project], ...body } })).body as Record<
      string,
      RunStats
    >

  it.each([
    ['name', {}, (run: InventedRun) => [run.name]],
    ['run_type', {}, (run: InventedRun) => [run.runType]],
    ['tag', {}, (run: InventedRun) => run.tags],
    ['metadata', { path: 'user' }, (run: InventedRun) => (run.user ? [run.user] : [])],
  ])('by %s cover the runs of each group', async (attribute, more, groups) => {
    const found = await groupsOf({ is_root: true, group_by: { attribute, ...more } })
    const roots = runs.filter(isRoot)
    expect(Object.keys(found).sort()).toEqual([...new Set(roots.flatMap(groups))].sort())
    for (const [group, stats] of Object.entries(found)) {
      expect(stats).toMatchObject(expected(roots.filter((run) => groups(run).includes(group))))
    }
  })

  it('are limited to the requested number, largest first, or to the named groups', async () => {
    const select = ['run_count', 'group_count']
    const one = await groupsOf({ select, group_by: { attribute: 'name', max_groups: 1 } })
    expect(Object.values(one)).toHaveLength(1)
    expect(Object.values(one)[0]).toMatchObject({ group_count: 3 })
    const named = await groupsOf({ select, groups: ['plan'], group_by: { attribute: 'name' } })
    expect(Object.keys(named)).toEqual(['plan'])
    expect((await app.call(contract.runStats.stats, { body: { group_by: { attribute: 'metadata' } } })).status).toBe(
      400,
    )
  })

  it('include the feedback of each group', async () => {
    const found = await groupsOf({ group_by: { attribute: 'run_type' } })
    const llm = scored(runs.filter((run) => run.runType === 'llm'))
    expect(found.llm!.feedback_stats!.correct!.n).toBe(llm.length)
  })
})

describe('threads', () => {
  const inThread = (thread: string) => runs.filter((run) => isRoot(run) && run.thread === thread)

  it('are listed in pages with exact figures, latest first', async () => {
    const body = { session_id: project, group_by: 'conversation', limit: 3 }
    const first = (await app.call(contract.runStats.group, { body })).body
    const second = (await app.call(contract.runStats.group, { body: { ...body, offset: 3 } })).body
    expect([first.total, second.total]).toEqual([4, 4])
    const groups = [...first.groups, ...second.groups]
    expect(groups.map((group) => group.thread_id).sort()).toEqual(['t1', 't2', 't3', 't4'])
    const latest = groups.map((group) => group.max_start_time)
    expect(latest).toEqual([...latest].sort().reverse())
    for (const group of groups) {
      const roots = inThread(group.thread_id)
      const { run_count, total_tokens, total_cost, latency_p50, latency_p99, last_run_start_time } = expected(roots)
      expect(group).toMatchObject({ count: run_count, total_tokens, total_cost, latency_p50, latency_p99 })
      expect(group).toMatchObject({
        filter: `eq(thread_id, "${group.thread_id}")`,
        group_key: group.thread_id,
        max_start_time: last_run_start_time,
      })
    }
  })

  it('have totals and are filtered by their root runs', async () => {
    const body = { session_id: project, group_by: 'conversation', filter: 'eq(thread_id, "t2")' }
    const { body: stats } = await app.call(contract.runStats.groupStats, { body })
    expect(stats).toMatchObject({ ...expected(inThread('t2')), group_count: 1 })
    expect((await app.call(contract.runStats.group, { body })).body.groups).toHaveLength(1)
  })

  it('are available in a short form', async () => {
    const params = { thread_id: 't1' }
    const { body } = await app.call(contract.runStats.thread, { params, query: { session_id: project } })
    const turns = inThread('t1').sort((one, other) => one.startMs - other.startMs)
    expect(body.previews.first_human_last_ai).toContain(`human: what of ${turns[0]!.id}`)
    expect(body.previews.all_messages!.match(/human: /g)).toHaveLength(turns.length)
  })
})

describe('series, histograms and facets', () => {
  const session = () => [project]

  it('count every run in its bucket, with its usage', async () => {
    const body = {
      session: session(),
      is_root: true,
      bucket: '6h',
      time_zone: 'Europe/Berlin',
      feedback_keys: ['correct'],
    }
    const { body: found } = await app.call(contract.runSeries.series, { body })
    const roots = runs.filter(isRoot)
    // Berlin is an hour ahead of UTC in February.
    const bucketOf = (ms: number) => Math.floor((ms + 3600e3) / (6 * 3600e3)) * 6 * 3600e3 - 3600e3
    const buckets = [...new Set(roots.map((run) => bucketOf(run.startMs)))].sort()
    expect(found).toMatchObject({ bucket: '6h', total_groups: 1, other: null })
    expect(found.series[0]!.points.map((point) => Date.parse(point.time))).toEqual(buckets)
    for (const point of found.series[0]!.points) {
      const inside = roots.filter((run) => bucketOf(run.startMs) === Date.parse(point.time))
      const { run_count, total_tokens, total_cost, latency_p50, latency_p99, first_token_p50 } = expected(inside)
      expect(point).toMatchObject({ run_count, total_tokens, total_cost, latency_p50, latency_p99, first_token_p50 })
      expect(point.error_count).toBe(inside.filter((run) => run.failed).length)
      expect(point.feedback.correct?.n ?? 0).toBe(scored(inside).length)
    }
  })

  it('cover every group, and combine the others', async () => {
    const ask = async (offset: number) => {
      const group_by = { attribute: 'metadata', path: 'user', max_groups: 2, offset }
      return (await app.call(contract.runSeries.series, { body: { session: session(), bucket: '1w', group_by } })).body
    }
    const pages = [await ask(0), await ask(2)]
    for (const page of pages) {
      expect(page.total_groups).toBe(4)
      const counts = page.series.reduce((sum, { run_count }) => sum + run_count, 0)
      expect(counts + page.other!.run_count).toBe(runs.length)
    }
    const groups = pages.flatMap((page) => page.series.map(({ group }) => group))
    expect(groups.sort()).toEqual(['ann', 'bob', 'cyd', null].sort())
  })

  it('have totals over the whole range, whose percentiles are of runs and not of buckets', async () => {
    const body = { session: session(), is_root: true, bucket: '6h', feedback_keys: ['correct'] }
    const { total, series } = (await app.call(contract.runSeries.series, { body })).body
    const roots = runs.filter(isRoot)
    const { run_count, total_tokens, total_cost, latency_p50, latency_p99, first_token_p50 } = expected(roots)
    expect(total).toMatchObject({ run_count, total_tokens, total_cost, latency_p50, latency_p99, first_token_p50 })
    expect(total.error_count).toBe(roots.filter((run) => run.failed).length)
    const scores = scored(roots).map((run) => runs.indexOf(run) % 2)
    const avg = scores.reduce<number>((sum, score) => sum + score, 0) / scores.length
    expect(total.feedback.correct).toEqual({ n: scores.length, avg: expect.closeTo(avg, 9) })
    expect(series[0]!.total).toEqual(total)
    expect(total).toMatchObject({ thread_count: null, user_count: null })
  })

  it.each([
    ['name', {}, (run: InventedRun) => [run.name]],
    ['tag', {}, (run: InventedRun) => run.tags],
  ])('have a total per %s, and one that counts every run once', async (attribute, more, groups) => {
    const group_by = { attribute, max_groups: 2, ...more }
    const body = { session: session(), is_root: true, bucket: '1d', group_by, feedback_keys: ['correct'] }
    const { total, series, other } = (await app.call(contract.runSeries.series, { body })).body
    const roots = runs.filter(isRoot)
    expect(total).toMatchObject({ run_count: roots.length, latency_p99: expected(roots).latency_p99 })
    expect(total.feedback.correct?.n).toBe(scored(roots).length)
    for (const line of series) {
      const inside = roots.filter((run) =>
        line.group === null ? groups(run).length === 0 : groups(run).includes(line.group),
      )
      const { run_count, total_cost, latency_p50 } = expected(inside)
      expect(line.total).toMatchObject({ run_count, total_cost, latency_p50 })
      expect(line.total.feedback.correct?.n ?? 0).toBe(scored(inside).length)
    }
    expect(other!.total.run_count).toBe(other!.run_count)
  })

  it('count different threads and users, which do not add up over buckets', async () => {
    const ask = async (distinct: string[], more: object = {}) => {
      const body = { session: session(), bucket: '1d', distinct, ...more }
      return (await app.call(contract.runSeries.series, { body })).body
    }
    const differing = (of: readonly (string | undefined)[]) => new Set(of.filter((one) => one !== undefined)).size
    const { total, series } = await ask(['threads', 'users'])
    const counts = (of: readonly InventedRun[]) => ({
      thread_count: differing(of.map(({ thread }) => thread)),
      user_count: differing(of.map(({ user }) => user)),
    })
    expect(total).toMatchObject(counts(runs))
    for (const { time, ...point } of series[0]!.points) {
      const day = (run: InventedRun) => new Date(run.startMs).toISOString().slice(0, 10)
      expect(point).toMatchObject(counts(runs.filter((run) => day(run) === time.slice(0, 10))))
    }
    const byName = await ask(['users'], { group_by: { attribute: 'name' } })
    for (const line of byName.series) {
      const ofName = runs.filter(({ name }) => name === line.group)
      expect(line.total).toMatchObject({ thread_count: null, user_count: counts(ofName).user_count })
    }
  })

  it('count users by a text or a number of their metadata', async () => {
    const users = [
      { user_id: 'ann' },
      { user_id: 7 },
      { user_id: 'ann', user: 'x' },
      { user_id: -0.5 },
      { user_id: '"' },
    ]
    const none = [null, {}, [], false, true, ''].map((user_id) => ({ user_id }))
    const fallback = { user_id: null, user: 'bob' }
    const start_time = '2026-02-03T04:05:06Z'
    const post = [...users, ...none, fallback].map((metadata) => {
      const run = { id: uuid7(), name: 'turn', run_type: 'chain', inputs: {}, session_name: 'users' }
      return { ...run, start_time, extra: { metadata } }
    })
    for (const run of post) expect((await app.call(contract.runs.create, { body: run })).status).toBe(202)
    const body = { session: [await projectOf('users')], distinct: ['users'] }
    const { total } = (await app.call(contract.runSeries.series, { body })).body
    expect(total).toMatchObject({ run_count: post.length, user_count: 5, thread_count: null })
  })

  it.each(['series', 'histogram'] as const)('are refused as a %s of too many buckets', async (route) => {
    const window = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-04T12:00:00Z' }
    const read = (more: object) =>
      app.call(contract.runSeries[route], { body: { session: session(), bucket: '1m', ...window, ...more } })
    expect((await read({ end_time: '2026-01-04T11:20:00Z' })).status).toBe(200)
    expect((await read({ bucket: '5m' })).status).toBe(200)
    const { status, text } = await read({})
    expect(status).toBe(400)
    expect(text).toContain(
      '1m\\" would cut the time from 2026-01-01T00:00:00.000000Z to 2026-01-04T12:00:00.000000Z into more than 5000 buckets',
    )
  })

  it('are empty without runs', async () => {
    const body = { session: [uuid7()], distinct: ['users'], feedback_keys: ['correct'] }
    const { total, series, other } = (await app.call(contract.runSeries.series, { body })).body
    expect([total.run_count, total.latency_p95, series, other]).toEqual([0, null, [], null])
    expect([total.user_count, total.thread_count]).toEqual([0, null])
  })

  it('choose the bucket by the time range, with days from midnight of the time zone', async () => {
    const body = { session: session(), time_zone: 'Asia/Kolkata', bucket: '1d' }
    const { body: days } = await app.call(contract.runSeries.histogram, { body })
    for (const { time } of days.buckets) expect(time).toMatch(/T18:30:00.000000Z$/)
    const { body: chosen } = await app.call(contract.runSeries.histogram, { body: { session: session() } })
    expect(chosen.bucket).toBe('1h')
    const count = chosen.buckets.reduce((sum, { success, error, pending }) => sum + success + error + pending, 0)
    expect(count).toBe(runs.length)
    const errors = chosen.buckets.reduce((sum, { error }) => sum + error, 0)
    expect(errors).toBe(runs.filter((run) => run.failed).length)
    expect((await app.call(contract.runSeries.histogram, { body: { time_zone: 'Mars/Base' } })).status).toBe(400)
  })

  it.each([
    ['of all kinds', {}],
    ['that are roots', { is_root: true }],
    ['of a filter', { filter: 'eq(run_type, "llm")' }],
  ])('count the runs %s that start after the end, when asked', async (_, conditions) => {
    const matches = (run: InventedRun) =>
      'filter' in conditions ? run.sent.run_type === 'llm' : !('is_root' in conditions) || isRoot(run)
    const ordered = runs.filter(matches).sort((one, other) => one.startMs - other.startMs)
    // The end itself belongs to the bars.
    const end_time = new Date(ordered[9]!.startMs).toISOString()
    const body = { session: session(), ...conditions, end_time }
    const { body: asked } = await app.call(contract.runSeries.histogram, { body: { ...body, count_later: true } })
    const inBars = asked.buckets.reduce((sum, { success, error, pending }) => sum + success + error + pending, 0)
    expect([inBars, asked.later_count]).toEqual([10, ordered.length - 10])
    const start_time = new Date(ordered[14]!.startMs).toISOString()
    const { body: later } = await app.call(contract.runSeries.histogram, {
      body: { ...body, start_time, count_later: true },
    })
    expect([later.buckets, later.later_count]).toEqual([[], ordered.length - 14])
    expect((await app.call(contract.runSeries.histogram, { body })).body).not.toHaveProperty('later_count')
  })

  it('count values and their number', async () => {
    const body = { session: session(), facets: ['tag', 'name'], metadata_keys: ['user'], limit: 2 }
    const { facets } = (await app.call(contract.runSeries.facets, { body })).body
    expect(facets.map(({ key, total }) => [key, total])).toEqual([
      ['tag', 3],
      ['name', 3],
      ['metadata.user', 3],
    ])
    for (const { key, values } of facets) expect([key, values.length]).toEqual([key, 2])
    const { value, n, errors, query } = facets[2]!.values[0]!
    expect(n).toBe(runs.filter((run) => run.user === value).length)
    expect(errors).toBe(runs.filter((run) => run.user === value && run.failed).length)
    expect(await statsOf({ session: session(), filter: query, select: ['run_count'] })).toEqual({ run_count: n })
  })
})

describe('the messages of errors', () => {
  const errors = ['Timeout', 'Timeout\n  at call', 'Timeout: 5 s', `${'x'.repeat(400)} a`, `${'x'.repeat(400)} b`]

  it('are counted on request, with a filter that matches them', async () => {
    const run = (error: string) => ({ id: uuid7(), name: 'fails', run_type: 'chain', error, session_name: 'failing' })
    const start_time = new Date().toISOString()
    await send({ post: errors.map((error) => ({ ...run(error), start_time, end_time: start_time, inputs: {} })) })
    const session = [await projectOf('failing')]
    const facetsOf = async (body: object) => (await app.call(contract.runSeries.facets, { body })).body.facets

    expect((await facetsOf({ session })).map(({ key }) => key)).not.toContain('error')
    const [facet] = await facetsOf({ session, facets: ['error'] })

    expect(facet!.values.map(({ value, n }) => [value, n])).toEqual([
      ['Timeout', 2],
      ['x'.repeat(300), 2],
      ['Timeout: # s', 1],
    ])
    for (const { query, n } of facet!.values) {
      expect(await statsOf({ session, filter: query, select: ['run_count'] })).toEqual({ run_count: n })
    }
  })
})

describe('hostile values', () => {
  const hostile = "x' or 1 = 1) -- \\"

  it('are treated as values', async () => {
    const groupBy = { attribute: 'metadata', path: hostile }
    expect(await statsOf({ session: [project], group_by: groupBy })).toEqual({})
    expect(await statsOf({ session: [project], groups: [hostile], group_by: { attribute: 'tag' } })).toEqual({})
    const facets = await app.call(contract.runSeries.facets, {
      body: { session: [project], facets: [], metadata_keys: [hostile], contains: hostile },
    })
    expect(facets.body.facets).toEqual([{ key: `metadata.${hostile}`, total: 0, values: [] }])
    const series = await app.call(contract.runSeries.series, {
      body: { session: [project], bucket: '1d', group_by: groupBy, feedback_keys: [hostile] },
    })
    expect(series.body.series.map(({ group }) => group)).toEqual([null])
  })

  it('are rejected as filters', async () => {
    const body = { filter: 'eq(name', session_id: project, group_by: 'conversation' }
    const { group_by: _, ...query } = body
    for (const [route, sent] of [
      [contract.runStats.group, body],
      [contract.runStats.stats, query],
      [contract.runSeries.series, query],
      [contract.runSeries.histogram, query],
      [contract.runSeries.facets, query],
    ] as const) {
      expect((await app.call(route, { body: sent })).status).toBe(400)
    }
  })
})

describe('queries', () => {
  it('are validated without being run', async () => {
    const judge = async (body: object) => (await app.call(contract.queryTools.validate, { body })).body
    expect(await judge({ filter: 'eq(name, "x")' })).toEqual({ valid: true, errors: [] })
    expect(await judge({ filter: 'eq(name' })).toMatchObject({ valid: false, errors: [{ field: 'filter' }] })
    expect(await judge({ trace: 'nope' })).toMatchObject({ valid: false, errors: [{ field: 'trace' }] })
  })

  it('are described in words', async () => {
    const { body } = await app.call(contract.queryTools.generate, { body: { query: 'slow "llm" calls' } })
    expect(body.filter).toBe('search("slow \\"llm\\" calls")')
  })
})
