import { Client as OurClient } from '@touchstone/sdk'
import type { Client } from 'langsmith'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, type RunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, aProjectName, collect } from './a-client.ts'

let server: SharedServer
let client: Client
let projectName: string
let turns: RunHead[]

/** Ten turns of two threads a minute apart, each with a model call of 10 + at tokens; every fifth turn failed. */
beforeAll(async () => {
  server = await shareServer()
  client = aClient(server.url)
  projectName = aProjectName('figures')
  const startMs = Date.now() - 3600e3
  const at = (ms: number) => new Date(startMs + ms).toISOString()
  turns = Array.from({ length: 10 }, (_, turn) =>
    aRunHead({
      name: turn % 2 === 0 ? 'ask' : 'answer',
      session_name: projectName,
      start_time: at(turn * 60e3),
      end_time: at(turn * 60e3 + 1000 * (turn + 1)),
      inputs: { question: `question ${turn}` },
      outputs: { text: `answer ${turn}` },
      ...(turn % 5 === 0 && { error: 'fifth' }),
      tags: turn < 4 ? ['early'] : ['late'],
      extra: { metadata: { thread_id: turn % 2 === 0 ? 'even' : 'odd', turn } },
    }),
  )
  const calls = turns.map((root, turn) => {
    const head = aRunHead({
      name: 'model',
      run_type: 'llm',
      session_name: projectName,
      start_time: at(turn * 60e3 + 1),
    })
    return {
      ...head,
      trace_id: root.id,
      parent_run_id: root.id,
      dotted_order: `${root.dotted_order}.${head.dotted_order}`,
      inputs: {},
      outputs: { usage_metadata: { input_tokens: 10, output_tokens: turn, total_tokens: 10 + turn, total_cost: 0.5 } },
    }
  })
  await client.multipartIngestRuns({ runCreates: [...turns, ...calls] as never })
})
afterAll(() => server?.stop())

const idsOf = (heads: readonly RunHead[]) => heads.map(({ id }) => id)

describe('statistics through the public JavaScript client', () => {
  it('are true for all runs, for roots, and for a filter', async () => {
    const all = await client.getRunStats({ projectNames: [projectName] })
    expect(all).toMatchObject({ run_count: 20, total_tokens: 145, prompt_tokens: 100, total_cost: 5, error_rate: 0.1 })
    const roots = await client.getRunStats({ projectNames: [projectName], isRoot: true })
    expect(roots).toMatchObject({ run_count: 10, total_tokens: 145, error_rate: 0.2, latency_p50: 6, latency_p99: 10 })
    const early = await client.getRunStats({ projectNames: [projectName], filter: 'has(tags, "early")' })
    expect(early).toMatchObject({ run_count: 4, total_tokens: 46, total_cost: 2 })
    await expect(client.getRunStats({})).rejects.toThrow('At least one of projectNames or projectIds must be provided.')
  })

  it('stand beside projects', async () => {
    const figures = { run_count: 10, total_tokens: 145, latency_p50: 6, error_rate: 0.2 }
    expect(await client.readProject({ projectName, includeStats: true })).toMatchObject(figures)
    const [listed] = await collect(client.listProjects({ name: projectName, includeStats: true }))
    expect(listed).toMatchObject(figures)
  })
})

describe('threads through the public JavaScript client', () => {
  it('are grouped by the server', async () => {
    const groups = await collect(client.listGroupRuns({ projectName, groupBy: 'conversation' }))
    expect(groups.map(({ thread_id }) => thread_id)).toEqual(['odd', 'even'])
    expect(groups[0]).toMatchObject({
      count: 5,
      total_tokens: 50 + 1 + 3 + 5 + 7 + 9,
      total_cost: 2.5,
      latency_p50: 6,
      first_inputs: 'question 1',
      last_outputs: 'answer 9',
    })
  })

  it('are listed and read turn by turn', async () => {
    const threads = await client.listThreads({ projectName })
    expect(threads.map(({ thread_id, count }) => [thread_id, count])).toEqual([
      ['odd', 5],
      ['even', 5],
    ])
    const even = await collect(client.readThread({ projectName, threadId: 'even' }))
    expect(idsOf(even as never)).toEqual(idsOf(turns.filter((_, turn) => turn % 2 === 0)))
    const failed = await collect(client.readThread({ projectName, threadId: 'even', filter: 'neq(error, null)' }))
    expect(idsOf(failed as never)).toEqual([turns[0]!.id])
  })
})

describe('filters of listRuns of the public JavaScript client', () => {
  it.each([
    ['eq(name, "ask")', [0, 2, 4, 6, 8]],
    ['and(has(tags, "late"), eq(status, "error"))', [5]],
    ['and(eq(metadata_key, "turn"), gte(metadata_value, 7))', [7, 8, 9]],
    ['gt(latency, "8s")', [8, 9]],
    ['search("question 3")', [3]],
  ])('%s finds the runs meant', async (filter, found) => {
    const runs = await collect(client.listRuns({ projectName, isRoot: true, order: 'asc', filter }))
    expect(idsOf(runs as never)).toEqual(found.map((turn) => turns[turn]!.id))
  })
})

describe('our own client', () => {
  it('tells the same, and fills in what listThreads of the public one leaves at zero', async () => {
    const ours = new OurClient({ apiUrl: server.url })
    const theirs = await client.getRunStats({ projectNames: [projectName] })
    expect(await ours.getRunStats({ projectNames: [projectName] })).toEqual(theirs)
    const groups = await collect(client.listGroupRuns({ projectName, groupBy: 'conversation' }))
    expect(await collect(ours.listGroupRuns({ projectName, groupBy: 'conversation' }))).toEqual(groups)
    const threads = await ours.listThreads({ projectName })
    for (const [at, { runs: _, ...thread }] of threads.entries()) {
      const { group_key: __, feedback_stats: ___, ...group } = { group_key: '', ...groups[at]! }
      expect(thread).toMatchObject(group)
    }
    const even = await collect(ours.readThread({ projectName, threadId: 'even' }))
    expect(idsOf(even as never)).toEqual(idsOf(turns.filter((_, turn) => turn % 2 === 0)))
  })

  it('reads series, histograms and facets, and deletes traces', async () => {
    const ours = new OurClient({ apiUrl: server.url })
    const { id } = await ours.readProject({ projectName })
    const session = [id]
    const series = await ours.queryRunSeries({ session, is_root: true, bucket: '1d', group_by: { attribute: 'name' } })
    expect(series.series.map(({ group, run_count }) => [group, run_count])).toEqual([
      ['answer', 5],
      ['ask', 5],
    ])
    const { buckets } = await ours.queryRunHistogram({ session, is_root: true, bucket: '1M' })
    expect(buckets.reduce((sum, { error }) => sum + error, 0)).toBe(2)
    const { facets } = await ours.queryRunFacets({ session, facets: ['tag'] })
    expect(facets[0]!.values[0]).toMatchObject({ value: 'late', n: 6 })
    const gone = await ours.deleteRuns({ session_id: id, trace_ids: [turns[9]!.id] })
    expect(gone.deleted_runs).toBe(2)
    expect(await ours.getRunStats({ projectIds: session })).toMatchObject({ run_count: 18, total_tokens: 126 })
  })
})
