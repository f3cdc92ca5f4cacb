import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, ConflictError } from '../index.ts'

const ID = '7d0b8c52-27c1-4d0b-9c55-6d2b0f8f1101'
const OTHER = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
const LIST = '/annotation-queues'
const QUEUE = `${LIST}/${ID}`
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: {} }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const lastBody = () => JSON.parse(server.requests.at(-1)!.body.toString())
const calls = () => server.requests.map(({ method, path }) => `${method} ${path}`)
const queries = () => server.requests.map(({ query }) => String(query))
/** A list of so many, a page at a time. */
const serveList = (count: number) =>
  server.respond(({ query }) => {
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
    const left = Math.max(0, Math.min(limit, count - offset))
    return { body: Array.from({ length: left }, (_, at) => ({ id: offset + at, start_time: '2025-03-03T08:00:00' })) }
  })

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('the annotation queue rules of the client', () => {
  const badRun = [ID, 'x']
  const badKey = { runId: ID, sessionId: 'x', startTime: 0 }
  const badProposal = { runId: ID, sessionId: ID, startTime: 0, sourceProposedExampleId: 'x' }
  it.each([
    ['a list', () => client.listAnnotationQueues({ queueIds: [ID, 'x'] }).next(), 'Invalid UUID for queueIds[1]: x'],
    ['create', () => client.createAnnotationQueue({ name: 'a', queueId: 'x' }), 'Invalid UUID for queueId: x'],
    ['read', () => client.readAnnotationQueue('x'), 'Invalid UUID for queueId: x'],
    ['update', () => client.updateAnnotationQueue('x', {}), 'Invalid UUID for queueId: x'],
    ['delete', () => client.deleteAnnotationQueue('x'), 'Invalid UUID for queueId: x'],
    ['add to no queue', () => client.addRunsToAnnotationQueue('x', []), 'Invalid UUID for queueId: x'],
    ['add no run', () => client.addRunsToAnnotationQueue(ID, badRun), 'Invalid UUID for runs[1]: x'],
    ['add no project', () => client.addRunsToAnnotationQueue(ID, [badKey]), 'Invalid UUID for runs[0].sessionId: x'],
    [
      'add no proposal',
      () => client.addRunsToAnnotationQueue(ID, [badProposal]),
      'Invalid UUID for runs[0].sourceProposedExampleId: x',
    ],
    [
      'add no thread',
      () => client.addThreadsToAnnotationQueue(ID, [{ projectId: 'x', threadId: 't' }]),
      'Invalid UUID for threads[0].projectId: x',
    ],
    ['get', () => client.getRunFromAnnotationQueue('x', 0), 'Invalid UUID for queueId: x'],
    ['list runs', () => client.listRunsFromAnnotationQueue('x').next(), 'Invalid UUID for queueId: x'],
    ['remove', () => client.deleteRunFromAnnotationQueue(ID, 'x'), 'Invalid UUID for queueRunId: x'],
    ['size', () => client.getSizeFromAnnotationQueue('x'), 'Invalid UUID for queueId: x'],
    ['take', () => client.takeRunFromAnnotationQueue('x'), 'Invalid UUID for queueId: x'],
    ['review', () => client.reviewRunOfAnnotationQueue('x', { status: null }), 'Invalid UUID for queueRunId: x'],
    ['correct', () => client.addExampleFromAnnotationQueue(ID, 'x'), 'Invalid UUID for queueRunId: x'],
    ['populate', () => client.populateAnnotationQueue(ID, { projectIds: ['x'] }), 'Invalid UUID for projectIds[0]: x'],
  ])('refuse, before any request, to %s by what is no id', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })
})

describe('listing annotation queues', () => {
  it('asks with what narrows the list, in pages of at most 100', async () => {
    serveList(130)
    const params = { queueIds: [ID, OTHER], name: 'bad answers', nameContains: 'bad' }
    expect(await collect(client.listAnnotationQueues(params))).toHaveLength(130)
    const narrowed = `ids=${ID}&ids=${OTHER}&name=bad+answers&name_contains=bad`
    expect(queries()).toEqual([`${narrowed}&offset=0&limit=100`, `${narrowed}&offset=100&limit=100`])
  })

  it('yields as many as the limit, below and above a page', async () => {
    serveList(1000)
    expect(await collect(client.listAnnotationQueues({ limit: 5 }))).toHaveLength(5)
    expect(await collect(client.listAnnotationQueues({ limit: 150 }))).toHaveLength(150)
    expect(await collect(client.listAnnotationQueues({ limit: 0 }))).toEqual([])
    expect(queries()).toEqual(['offset=0&limit=5', 'offset=0&limit=100', 'offset=100&limit=50'])
  })
})

describe('an annotation queue', () => {
  it('takes threads by their project and any text as their id', async () => {
    await client.addThreadsToAnnotationQueue(ID, [{ projectId: OTHER, threadId: 'a / b' }])
    expect(server.requests[0]!.path).toMatch(new RegExp(`/platform/annotation-queues/${ID}/items$`))
    expect(lastBody()).toEqual({ items: [{ item_type: 'THREAD', project_id: OTHER, thread_id: 'a / b' }] })
  })

  it('is created under an id of the client, so that a repeated attempt cannot make two', async () => {
    server.respond((_, earlier) => (earlier === 0 ? { reset: true } : { body: { id: ID } }))
    await client.createAnnotationQueue({ name: 'bad answers', rubricInstructions: 'Check the facts.' })
    const ids = server.requests.map(({ body }) => JSON.parse(body.toString()).id)
    expect(ids).toEqual([ids[0], ids[0]])
    expect(lastBody()).toEqual({ id: ids[0], name: 'bad answers', rubric_instructions: 'Check the facts.' })
  })

  it('is created with its rubric and its rules', async () => {
    const rubricItems = [{ feedback_key: 'correctness', score_descriptions: { 0: 'wrong', 1: 'right' } }]
    await client.createAnnotationQueue({
      name: 'a',
      description: '',
      queueId: ID,
      rubricItems,
      numReviewersPerItem: null,
      enableReservations: false,
      reservationMinutes: 5,
      reviewerAccessMode: 'assigned',
      defaultDataset: OTHER,
    })
    expect(lastBody()).toEqual({
      id: ID,
      name: 'a',
      description: '',
      rubric_items: rubricItems,
      num_reviewers_per_item: null,
      enable_reservations: false,
      reservation_minutes: 5,
      reviewer_access_mode: 'assigned',
      default_dataset: OTHER,
    })
  })

  it('is changed in what is given alone, and cleared by what is empty', async () => {
    await client.updateAnnotationQueue(ID, { description: '', rubricItems: [] })
    expect(calls()).toEqual([`PATCH ${QUEUE}`])
    expect(lastBody()).toEqual({ description: '', rubric_items: [] })
  })

  it('is read and deleted, also when the answer to a deletion is empty', async () => {
    server.respond(({ method }) => (method === 'GET' ? { body: { id: ID } } : { status: 204 }))
    expect(await client.readAnnotationQueue(ID)).toEqual({ id: ID })
    expect(await client.deleteAnnotationQueue(ID)).toBeUndefined()
    expect(calls()).toEqual([`GET ${QUEUE}`, `DELETE ${QUEUE}`])
  })

  it('fails in the words that callers know', async () => {
    server.respond(() => ({ status: 409, body: { detail: 'exists' } }))
    const creating = client.createAnnotationQueue({ name: 'a' })
    await expect(creating).rejects.toBeInstanceOf(ConflictError)
    await expect(creating).rejects.toThrow(/^Failed to create annotation queue\. Received status \[409\]: Conflict\./)
    const words = [
      [() => client.readAnnotationQueue(ID), 'read annotation queue'],
      [() => client.updateAnnotationQueue(ID, {}), 'update annotation queue'],
      [() => client.deleteAnnotationQueue(ID), 'delete annotation queue'],
      [() => client.addRunsToAnnotationQueue(ID, [ID]), 'add runs to annotation queue'],
      [() => client.getRunFromAnnotationQueue(ID, 0), 'get run from annotation queue'],
      [() => client.listRunsFromAnnotationQueue(ID).next(), `fetch ${QUEUE}/runs`],
      [() => client.deleteRunFromAnnotationQueue(ID, OTHER), 'delete run from annotation queue'],
      [() => client.getSizeFromAnnotationQueue(ID), 'get size from annotation queue'],
    ] as const
    for (const [call, doing] of words) await expect(call()).rejects.toThrow(`Failed to ${doing}. Received`)
  })
})

describe('runs of an annotation queue', () => {
  it('are added by id', async () => {
    await client.addRunsToAnnotationQueue(ID, [ID, OTHER])
    expect(calls()).toEqual([`POST ${QUEUE}/runs`])
    expect(lastBody()).toEqual([ID, OTHER])
  })

  it('are added by key, whatever form the start has', async () => {
    const key = { runId: ID, sessionId: OTHER }
    const start = '2025-03-03T08:00:00.000Z'
    await client.addRunsToAnnotationQueue(ID, [
      { ...key, startTime: new Date(start) },
      { ...key, startTime: Date.parse(start) },
      { ...key, startTime: '2025-03-03T08:00:00.123456Z', sourceProposedExampleId: ID },
    ])
    expect(calls()).toEqual([`POST ${QUEUE}/runs/by-key`])
    const sent = { run_id: ID, session_id: OTHER, start_time: start }
    const exact = { ...sent, start_time: '2025-03-03T08:00:00.123456Z', source_proposed_example_id: ID }
    expect(lastBody()).toEqual([sent, sent, exact])
  })

  it('are read by place, with the zone that a time lacks', async () => {
    server.respond(() => ({ body: { id: OTHER, start_time: '2025-03-03T08:00:00' } }))
    expect(await client.getRunFromAnnotationQueue(ID, 3)).toMatchObject({ start_time: '2025-03-03T08:00:00Z' })
    expect(calls()).toEqual([`GET ${QUEUE}/run/3`])
  })

  it('are listed to their end, beyond a hundred', async () => {
    serveList(230)
    expect(await collect(client.listRunsFromAnnotationQueue(ID))).toHaveLength(230)
    const some = await collect(client.listRunsFromAnnotationQueue(ID, { status: 'completed', limit: 120 }))
    expect(some).toHaveLength(120)
    expect(queries().at(-1)).toBe('status=completed&offset=100&limit=20')
  })

  it('are taken out, counted, taken, completed and corrected', async () => {
    server.respond(({ path }) => ({ body: path.endsWith('/next') ? null : { size: 3 } }))
    await client.deleteRunFromAnnotationQueue(ID, OTHER)
    expect(await client.getSizeFromAnnotationQueue(ID)).toEqual({ size: 3 })
    expect(await client.getTotalsFromAnnotationQueue(ID)).toEqual({ total: 3, archived: 3 })
    expect(await client.takeRunFromAnnotationQueue(ID)).toBeUndefined()
    await client.addExampleFromAnnotationQueue(ID, OTHER, { outputs: { answer: 'yes' } })
    expect(lastBody()).toEqual({ outputs: { answer: 'yes' } })
    const overrideAddedAt = new Date('2025-03-03T08:00:00Z')
    await client.reviewRunOfAnnotationQueue(OTHER, { status: null, overrideAddedAt })
    expect(lastBody()).toEqual({ status: null, override_added_at: '2025-03-03T08:00:00.000Z' })
    await client.exportAnnotationQueue(ID)
    expect(calls()).toEqual([
      `DELETE ${QUEUE}/runs/${OTHER}`,
      `GET ${QUEUE}/size`,
      `GET ${QUEUE}/total_size`,
      `GET ${QUEUE}/total_archived`,
      `POST ${QUEUE}/runs/next`,
      `POST ${QUEUE}/runs/${OTHER}/example`,
      `POST ${LIST}/status/${OTHER}`,
      `POST ${QUEUE}/export`,
    ])
  })
})
