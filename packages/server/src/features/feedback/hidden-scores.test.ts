import { contract, type Route, uuid7 } from '@touchstone/contract'
import { sql as drizzle } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { currentRequest } from '../../http/serve.ts'
import { literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'
import { someRuns } from '../../testing/a-queue.ts'
import { anExperimentSet, type ExperimentSet } from '../../testing/an-experiment.ts'
import { type CallInput, type StartedApp, startApp } from '../../testing/start-app.ts'
import { openHiddenScores } from './hidden-scores.ts'

const KEY = 'tone-of-ann'
const COMMENT = 'remark of ann'
const SCORES = [0.1171875, 0.890625]
const THREAD = 'support 1'
const LONG_AGO = '2026-01-01T00:00:00Z'
const WHERE_RATED = `eq(feedback_key, "${KEY}")`

interface Reviewer {
  readonly id: string
  readonly tenantId: string
  readonly headers: Record<string, string>
}

let app: StartedApp
let given: ExperimentSet
let [ann, bob] = [{}, {}] as [Reviewer, Reviewer]
let queueId: string
let otherProjectId: string
let shareToken: string
let feedbackIds: { readonly run: string; readonly thread: string; readonly sameThreadId: string }

const as = async <Of extends Route>({ headers }: Reviewer, route: Of, input: CallInput = {}) =>
  app.call(route, { ...input, headers })

async function aReviewer(description: string): Promise<Reviewer> {
  const { body } = await app.call(contract.apiKeys.create, { body: { description }, headers: ann.headers ?? {} })
  const headers = { 'x-api-key': body.key }
  const me = (await app.call(contract.accounts.me, { headers })).body
  return { id: body.id, tenantId: me.tenant_id, headers }
}

async function score(by: Reviewer, body: object): Promise<string> {
  const sent = { key: KEY, comment: COMMENT, feedback_source: { type: 'app' }, ...body }
  const made = await as(by, contract.feedback.create, { body: sent })
  expect(made.status, made.text).toBe(200)
  return made.body.id
}

/** Two examples, each with a run in two experiments; Ann rated those of the first, and Bob is about to review them. */
beforeAll(async () => {
  app = await startApp()
  const run = () => ({ extra: { metadata: { thread_id: THREAD } } })
  given = await anExperimentSet(app, {
    examples: 2,
    scores: {
      judge: [
        [1, 0],
        [0, 1],
      ],
    },
    run,
  })
  ann = await aReviewer('Ann')
  bob = await aReviewer('Bob')
  const [projectId, second] = given.sessionIds as [string, string]
  otherProjectId = second
  const body = { name: 'hides', hide_others_scores: true, reviewer_access_mode: 'assigned', num_reviewers_per_item: 2 }
  queueId = (await as(ann, contract.annotationQueues.create, { body })).body.id
  const params = { queue_id: queueId }
  await as(ann, contract.annotationQueueItems.addReviewer, { params, body: { identity_id: bob.id } })
  const unrated = await someRuns(app, 1, { headers: ann.headers })
  const items = [
    ...[...given.runIds.flat(), ...unrated].map((run_id) => ({ item_type: 'RUN', run_id })),
    { item_type: 'THREAD', thread_id: THREAD, project_id: projectId },
  ]
  const added = await as(ann, contract.annotationQueueItems.add, { params, body: { items } })
  expect(added.status, added.text).toBeLessThan(300)
  const [first] = await Promise.all(given.runIds[0]!.map((run_id, at) => score(ann, { run_id, score: SCORES[at] })))
  await Promise.all(given.runIds[1]!.map((run_id) => score(ann, { run_id, score: 0.5 })))
  const onThread = { feedback_thread_id: THREAD, score: 0.671875 }
  feedbackIds = {
    run: first!,
    thread: await score(ann, { ...onThread, session_id: projectId }),
    sameThreadId: await score(ann, { ...onThread, session_id: second }),
  }
  const shared = { run_id: given.runIds[0]![0]! }
  shareToken = (await as(ann, contract.sharing.shareRun, { params: shared, body: shared })).body.share_token
})
afterAll(() => app.close())

type Ask = (by: Reviewer) => Promise<string>

const asking =
  (route: Route, input: () => CallInput): Ask =>
  async (by) => {
    const { status, text: answer } = await as(by, route, input())
    expect([200, 202, 404], answer).toContain(status)
    return answer
  }

const run = () => given.runIds[0]![0]!
const project = () => given.sessionIds[0]!
const dataset = () => ({ dataset_id: given.datasetId })
const window = () => ({ session: [project()], start_time: LONG_AGO })
const compared = () => ({ session_ids: given.sessionIds })
const v2Project = () => ({ project_ids: [project()], min_start_time: LONG_AGO })
const threads = () => ({ project_id: project(), min_start_time: LONG_AGO })

/** @returns the job, as the one who started it reads it */
async function exportRuns(by: Reviewer) {
  const body = { action: 'export', ...window(), select: ['id', 'feedback_stats'] }
  const { body: started } = await as(by, contract.bulkJobs.start, { body })
  const params = { job_id: started.job!.id }
  return vi.waitFor(
    async () => {
      const job = (await as(by, contract.bulkJobs.read, { params })).body
      expect(job.status).toBe('done')
      return job
    },
    { timeout: 60_000, interval: 100 },
  )
}

const exported: Ask = async (by) => (await app.fetch((await exportRuns(by)).download_url!)).text()

const csv: Ask = async ({ headers }) => {
  const path = `/datasets/${given.datasetId}/runs?format=csv`
  const response = await app.fetch(path, { method: 'POST', body: JSON.stringify(compared()), headers })
  return response.text()
}

const stream: Ask = async ({ headers }) => {
  const [baseline_session_id, ...comparison_session_ids] = given.sessionIds
  const body = JSON.stringify({ baseline_session_id, comparison_session_ids, feedback_keys: [KEY] })
  const response = await app.fetch(`/datasets/${given.datasetId}/runs/delta/stream`, { method: 'POST', body, headers })
  return response.text()
}

/** Every route that returns feedback or figures of it, or selects by it: what shows in the answer that a score exists. */
// biome-ignore format: one line for each route
const ROUTES: readonly (readonly [string, Ask, string | (() => string)])[] = [
  ['the list of feedback', asking(contract.feedback.list, () => ({ query: { run: run() } })), COMMENT],
  ['the list of all feedback', asking(contract.feedback.list, () => ({ query: { key: KEY, session: project() } })), COMMENT],
  ['the feedback on a thread', asking(contract.feedback.list, () => ({ query: { session: project(), feedback_thread_id: THREAD } })), COMMENT],
  ['one record', asking(contract.feedback.read, () => ({ params: { feedback_id: feedbackIds.run } })), COMMENT],
  ['one record on a thread', asking(contract.feedback.read, () => ({ params: { feedback_id: feedbackIds.thread } })), COMMENT],
  ['the answer of a change', asking(contract.feedback.update, () => ({ params: { feedback_id: feedbackIds.run }, body: { correction: { better: true } } })), COMMENT],
  ['a run', asking(contract.runs.read, () => ({ params: { run_id: run() } })), KEY],
  ['runs', asking(contract.runs.query, () => ({ body: { ...window(), select: ['id', 'feedback_stats'] } })), KEY],
  ['runs filtered by feedback', asking(contract.runs.query, () => ({ body: { ...window(), filter: WHERE_RATED, select: ['id'] } })), run],
  ['statistics of runs', asking(contract.runStats.stats, () => ({ body: { ...window(), select: ['feedback_stats'] } })), KEY],
  ['statistics of groups of runs', asking(contract.runStats.stats, () => ({ body: { ...window(), group_by: { attribute: 'name' }, select: ['feedback_stats'] } })), KEY],
  ['threads of a project', asking(contract.runStats.group, () => ({ body: { session_id: project(), group_by: 'conversation', start_time: LONG_AGO } })), KEY],
  ['figures of threads', asking(contract.runStats.groupStats, () => ({ body: { session_id: project(), group_by: 'conversation', start_time: LONG_AGO } })), KEY],
  ['a chart of scores', asking(contract.runSeries.series, () => ({ body: { ...window(), feedback_keys: [KEY] } })), '0.50390625'],
  ['facets of runs filtered by feedback', asking(contract.runSeries.facets, () => ({ body: { ...window(), filter: WHERE_RATED } })), 'target'],
  ['a project with figures', asking(contract.projects.read, () => ({ params: { session_id: project() }, query: { include_stats: 'true' } })), KEY],
  ['projects with figures', asking(contract.projects.list, () => ({ query: { reference_dataset: given.datasetId, include_stats: 'true' } })), KEY],
  ['examples with runs', asking(contract.experiments.runs, () => ({ params: dataset(), body: compared() })), COMMENT],
  ['examples with runs filtered by feedback', asking(contract.experiments.runs, () => ({ params: dataset(), body: { ...compared(), filters: { [project()]: [WHERE_RATED] } } })), run],
  ['examples with runs as CSV', csv, KEY],
  ['examples in groups', asking(contract.experiments.groupedRuns, () => ({ params: dataset(), body: { ...compared(), group_by: 'run_metadata', metadata_key: 'thread_id' } })), COMMENT],
  ['better and worse examples', asking(contract.experiments.deltas, () => ({ params: dataset(), body: { baseline_session_id: project(), comparison_session_ids: [otherProjectId], feedback_key: KEY } })), () => given.exampleIds[0]!],
  ['better and worse examples as a stream', stream, () => given.exampleIds[0]!],
  ['experiments in groups', asking(contract.experiments.grouped, () => ({ params: dataset(), body: { metadata_keys: ['model'] } })), KEY],
  ['cells of experiments', asking(contract.experimentCells.read, () => ({ params: dataset(), body: compared() })), KEY],
  ['statistics of experiments', asking(contract.experimentStatistics.compare, () => ({ params: dataset(), body: { baseline_session_id: project(), comparison_session_ids: [otherProjectId], resamples: 200 } })), KEY],
  ['runs of a queue', asking(contract.annotationQueues.listRuns, () => ({ params: { queue_id: queueId } })), KEY],
  ['a run of a queue', asking(contract.annotationQueues.readRun, () => ({ params: { queue_id: queueId, index: '0' } })), KEY],
  ['SQL', asking(contract.sql.query, () => ({ body: { project_ids: [project()], query: 'select key, comment, score from feedback' } })), COMMENT],
  ['an export of runs', exported, KEY],
  ['runs (v2)', asking(contract.runsV2.query, () => ({ body: { ...v2Project(), selects: ['FEEDBACK_STATS'] } })), KEY],
  ['runs filtered by feedback (v2)', asking(contract.runsV2.query, () => ({ body: { ...v2Project(), filter: WHERE_RATED } })), run],
  ['a run (v2)', asking(contract.runsV2.read, () => ({ params: { run_id: run() }, query: { project_id: project(), selects: 'FEEDBACK_STATS' } })), KEY],
  ['traces filtered by feedback (v2)', asking(contract.runsV2.queryTraces, () => ({ body: { ...threads(), trace_filter: WHERE_RATED } })), run],
  ['threads (v2)', asking(contract.threadsV2.query, () => ({ body: threads() })), KEY],
  ['threads filtered by feedback (v2)', asking(contract.threadsV2.query, () => ({ body: { ...threads(), thread_filter: WHERE_RATED } })), THREAD],
  ['totals of threads (v2)', asking(contract.threadsV2.totals, () => ({ body: { ...threads(), select: ['THREAD_FEEDBACK_STATS'] } })), KEY],
  ['figures of a thread (v2)', asking(contract.threadsV2.stats, () => ({ params: { thread_id: THREAD }, query: { session_id: project(), selects: 'FEEDBACK_STATS' } })), KEY],
  ['examples with runs (v2)', asking(contract.experiments.runsV2, () => ({ params: dataset(), body: { experiment_ids: given.sessionIds, selects: ['FEEDBACK_STATS'] } })), KEY],
  ['projects with figures (v2)', asking(contract.projectsV2.list, () => ({ query: { reference_dataset_id: given.datasetId, include_stats: 'true' } })), KEY],
]

const isIn = (answer: string, sign: string | (() => string)) =>
  answer.includes(typeof sign === 'string' ? sign : sign())

describe('scores of others that a queue hides', () => {
  it.each(ROUTES)('are not in %s', async (_, ask, sign) => {
    expect(isIn(await ask(ann), sign)).toBe(true)
    const answer = await ask(bob)
    expect(isIn(answer, sign), answer).toBe(false)
    expect(isIn(await ask(ann), sign), 'what one caller read is not kept for others').toBe(true)
  })

  it.each([
    [
      'examples with runs',
      contract.experiments.runs,
      (order: string) => ({
        params: dataset(),
        body: { ...compared(), sort_params: { sort_by: `feedback.${KEY}`, sort_order: order } },
      }),
    ],
    [
      'examples with runs (v2)',
      contract.experiments.runsV2,
      (order: string) => ({
        params: dataset(),
        body: { experiment_ids: given.sessionIds, sort: { by: `feedback.${KEY}`, order } },
      }),
    ],
    [
      'projects',
      contract.projects.list,
      (order: string) => ({
        query: {
          reference_dataset: given.datasetId,
          sort_by: 'feedback',
          sort_by_feedback_key: KEY,
          sort_by_desc: String(order === 'DESC'),
        },
      }),
    ],
  ] as const)('do not sort %s', async (_, route, input) => {
    const ids = async (by: Reviewer, order: string) => {
      const answer = await asking(route, () => input(order))(by)
      const known = [...given.exampleIds, ...given.sessionIds]
      return known.filter((id) => answer.includes(id)).sort((a, b) => answer.indexOf(a) - answer.indexOf(b))
    }
    const [up, down] = [await ids(ann, 'ASC'), await ids(ann, 'DESC')]
    expect(up).not.toEqual(down)
    const hidden = [await ids(bob, 'ASC'), await ids(bob, 'DESC')]
    expect(hidden).not.toEqual([up, down])
  })

  it('are in what a public link shows to every reader', async () => {
    const list = asking(contract.sharing.publicFeedback, () => ({ params: { share_token: shareToken } }))
    expect(await list(bob)).toContain(COMMENT)
  })

  it('are not in the exports of other people, whose files cannot be downloaded', async () => {
    const { id } = await exportRuns(ann)
    const { id: own } = await exportRuns(bob)
    const links = async (by: Reviewer, id: string) => {
      const params = { job_id: id }
      const listed = (await as(by, contract.bulkJobs.list, { query: { limit: '100' } })).body.jobs
      const read = (await as(by, contract.bulkJobs.read, { params })).body
      const cancelled = (await as(by, contract.bulkJobs.cancel, { params })).body
      return [listed.find((job) => job.id === id)!, read, cancelled].map((job) => job.download_url !== null)
    }
    expect(await links(bob, id)).toEqual([false, false, false])
    expect(await links(bob, own)).toEqual([true, true, true])
    expect(await links(ann, own)).toEqual([true, true, true])
  })

  it('are not deleted', async () => {
    const params = { feedback_id: feedbackIds.run }
    expect((await as(bob, contract.feedback.delete, { params })).status).toBe(404)
    expect((await as(ann, contract.feedback.read, { params })).status).toBe(200)
  })

  it('are not replaced by feedback with the same id, alone or beside runs', async () => {
    const { body: stored } = await as(ann, contract.feedback.read, { params: { feedback_id: feedbackIds.run } })
    const sent = { id: feedbackIds.run, run_id: run(), key: 'mine', score: 0, feedback_source: { type: 'app' } }
    for (const route of [contract.feedback.create, contract.feedback.createEager]) {
      const refused = await as(bob, route, { body: sent })
      expect(refused.status, refused.text).toBe(409)
      expect(refused.text).toContain('Use another id')
      expect(isIn(refused.text, KEY) || isIn(refused.text, COMMENT)).toBe(false)
    }
    const own = { ...sent, id: uuid7() }
    const form = new FormData()
    for (const one of [sent, own]) {
      form.append(`feedback.${one.id}`, new Blob([JSON.stringify(one)], { type: 'application/json' }))
    }
    const batch = await app.fetch('/runs/multipart', { method: 'POST', body: form, headers: bob.headers })
    expect(batch.status).toBeLessThan(300)
    expect(await batch.json()).toMatchObject({
      errors: [{ run_id: `feedback.${feedbackIds.run}`, error: expect.stringContaining('Use another id') }],
    })
    expect((await as(ann, contract.feedback.read, { params: { feedback_id: feedbackIds.run } })).body).toEqual(stored)
    // One's own record is still replaced, and a free id is still accepted.
    expect((await as(bob, contract.feedback.create, { body: { ...own, score: 1 } })).body).toMatchObject({ score: 1 })
    await as(bob, contract.feedback.delete, { params: { feedback_id: own.id } })
  })

  it('are those on a thread of the queue, not on a thread of another project with the same id', async () => {
    const read = async (feedback_id: string) =>
      (await as(bob, contract.feedback.read, { params: { feedback_id } })).status
    expect(await read(feedbackIds.thread)).toBe(404)
    expect(await read(feedbackIds.sameThreadId)).toBe(200)
  })

  it('are hidden when more items wait than a condition names', async () => {
    const visibleTo = async (by: Reviewer, limit: number) => {
      const read = openHiddenScores(app.deps, limit)
      const caller = { kind: 'key', tenantId: by.tenantId, role: 'member', actorId: by.id } as const
      const condition = (await currentRequest.run({ caller }, read)) ?? 'true'
      const rows = await app.deps.analytics.query(
        sql`select comment from run_feedback final
          where tenant_id = ${uuid(by.tenantId)} and key = 'tone-of-ann' and ${literal(condition)}`,
        columns({ comment: text }),
      )
      return rows.length
    }
    expect(await visibleTo(ann, 1)).toBe(6)
    // The thread of the other project is rated too, and is hidden only when the condition can name nothing.
    expect([await visibleTo(bob, 100), await visibleTo(bob, 5), await visibleTo(bob, 1)]).toEqual([1, 1, 0])
  })

  it.each([9_990, 12_000])('are hidden for %s items that wait, in every kind of query', async (count) => {
    const { db } = app.deps.relational
    await db.execute(drizzle`
      insert into annotation_queue_items (id, tenant_id, queue_id, run_id, trace_id, project_id, start_time, added_at)
      select gen_random_uuid(), ${bob.tenantId}, ${queueId}, gen_random_uuid(), gen_random_uuid(), ${project()}, now(), now()
      from generate_series(1, ${count})`)
    const examples = asking(contract.experiments.runs, () => ({ params: dataset(), body: compared() }))
    expect(await examples(ann)).toContain(COMMENT)
    expect(await examples(bob)).not.toContain(COMMENT)
    const list = asking(contract.feedback.list, () => ({ query: { key: KEY } }))
    expect(await list(bob)).not.toContain(run())
    const query = asking(contract.sql.query, () => ({
      body: { project_ids: [project()], query: 'select comment from feedback' },
    }))
    expect(await query(ann)).toContain(COMMENT)
    expect(await query(bob)).not.toContain(COMMENT)
    const read = async (feedback_id: string) =>
      (await as(bob, contract.feedback.read, { params: { feedback_id } })).status
    // The one on a thread of another project shows that not all scores of other people are hidden.
    expect([await read(feedbackIds.run), await read(feedbackIds.sameThreadId)]).toEqual([404, 200])
    const { status, body } = await as(bob, contract.runs.query, {
      body: { ...window(), filter: WHERE_RATED, select: ['id'] },
    })
    expect([status, body.runs]).toEqual([200, []])
    await db.execute(
      drizzle`delete from annotation_queue_items where run_id is not null and run_id not in ${given.runIds.flat()}`,
    )
  })

  it('are shown after the item is completed', async () => {
    const params = { queue_id: queueId }
    const { body: entries } = await as(bob, contract.annotationQueues.listRuns, { params })
    const entry = entries.find(({ id }) => id === run())!
    const review = { params: { queue_run_id: entry.queue_run_id }, body: { status: 'completed' } }
    expect((await as(bob, contract.annotationQueues.updateReview, review)).status).toBe(200)
    expect((await as(bob, contract.feedback.read, { params: { feedback_id: feedbackIds.run } })).status).toBe(200)
    const { body: read } = await as(bob, contract.runs.read, { params: { run_id: run() } })
    expect(read.feedback_stats?.[KEY]?.n).toBe(1)
  })
})
