import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aProjectName, collect } from './a-client.ts'
import { EVERY_CLIENT, type EveryClient } from './every-client.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

/** Root runs one second apart, oldest first. */
async function givenRuns(client: EveryClient, count: number) {
  const project_name = aProjectName('reviewed')
  const start = Date.now() - count * 1000
  const runs = Array.from({ length: count }, (_, at) => ({ id: randomUUID(), at, time: new Date(start + at * 1000) }))
  await Promise.all(
    runs.map(({ id, at, time }) =>
      client.createRun({
        id,
        name: `answer ${at}`,
        run_type: 'llm',
        start_time: time.getTime(),
        end_time: time.getTime() + 500,
        inputs: { at },
        outputs: { answer: 'é' },
        project_name,
      }),
    ),
  )
  const { id: sessionId } = await client.readProject({ projectName: project_name })
  return runs.map(({ id, time }) => ({ runId: id, sessionId, startTime: time }))
}

describe.each(EVERY_CLIENT)('annotation queues through $name', ({ name: kind, make }) => {
  let client: EveryClient
  const isOf2025 = kind.endsWith('2025')
  beforeAll(() => {
    client = make(server.url)
  })

  it('live from their creation to their deletion', async () => {
    const name = aProjectName('bad answers')
    const queueId = randomUUID()
    const made = await client.createAnnotationQueue({
      name,
      description: 'thumbs down',
      queueId,
      rubricInstructions: 'Check.',
    })
    expect(made).toMatchObject({ id: queueId, name, description: 'thumbs down', num_reviewers_per_item: 1 })
    expect(made).not.toHaveProperty('rubric_instructions')
    expect(await client.readAnnotationQueue(queueId)).toMatchObject({ id: queueId, rubric_instructions: 'Check.' })
    if (!isOf2025) {
      const rubricItems = [{ feedback_key: 'correctness', score_descriptions: { 1: 'right' }, is_required: true }]
      await client.updateAnnotationQueue(queueId, { rubricItems })
      expect(await client.readAnnotationQueue(queueId)).toMatchObject({ name, rubric_items: rubricItems })
    }
    await client.updateAnnotationQueue(queueId, {
      name: `${name}!`,
      description: 'better',
      rubricInstructions: 'Look.',
    })
    expect(await client.readAnnotationQueue(queueId)).toMatchObject({
      name: `${name}!`,
      description: 'better',
      rubric_instructions: 'Look.',
    })
    const listed = { id: queueId, total_runs: 0 }
    expect(await collect(client.listAnnotationQueues({ queueIds: [queueId] }))).toMatchObject([listed])
    expect(await collect(client.listAnnotationQueues({ name: `${name}!` }))).toMatchObject([listed])
    expect(await collect(client.listAnnotationQueues({ nameContains: name.slice(3).toUpperCase() }))).toMatchObject([
      listed,
    ])
    await client.deleteAnnotationQueue(queueId)
    await expect(client.readAnnotationQueue(queueId)).rejects.toMatchObject({ message: expect.stringContaining('404') })
    expect(await collect(client.listAnnotationQueues({ queueIds: [queueId] }))).toEqual([])
  })

  it('hold runs, which are read in order, counted and taken out', async () => {
    const runs = await givenRuns(client, 3)
    const ids = runs.map(({ runId }) => runId)
    const { id } = await client.createAnnotationQueue({ name: aProjectName('queue') })
    await client.addRunsToAnnotationQueue(id, ids.slice(0, 2))
    if (isOf2025) await client.addRunsToAnnotationQueue(id, ids)
    else await client.addRunsToAnnotationQueue(id, runs)

    expect(await client.getSizeFromAnnotationQueue(id)).toEqual({ size: 3 })
    const read = [0, 1, 2].map((index) => client.getRunFromAnnotationQueue(id, index))
    const inOrder = await Promise.all(read)
    expect(inOrder.map((run) => run.id)).toEqual(ids)
    expect(inOrder[1]).toMatchObject({ name: 'answer 1', inputs: { at: 1 }, outputs: { answer: 'é' } })
    await expect(client.getRunFromAnnotationQueue(id, 3)).rejects.toMatchObject({
      message: expect.stringContaining('404'),
    })
    if (!isOf2025) {
      const needed = await collect(client.listRunsFromAnnotationQueue(id, { status: 'needs_my_review' }))
      expect(needed.map((run) => run.id)).toEqual(ids)
      expect(await collect(client.listRunsFromAnnotationQueue(id, { limit: 2 }))).toHaveLength(2)
    }

    await client.deleteRunFromAnnotationQueue(id, inOrder[0]!.queue_run_id)
    await client.deleteRunFromAnnotationQueue(id, ids[1]!)
    expect(await client.getSizeFromAnnotationQueue(id)).toEqual({ size: 1 })
    expect((await client.getRunFromAnnotationQueue(id, 0)).id).toBe(ids[2])
    expect((await client.readRun(ids[0]!)).id).toBe(ids[0])
    await expect(client.addRunsToAnnotationQueue(id, [randomUUID()])).rejects.toMatchObject({
      message: expect.stringContaining('404'),
    })
    expect(await client.getSizeFromAnnotationQueue(id)).toEqual({ size: 1 })
  })
})

describe('reviewing through our client', () => {
  it('takes, completes, corrects and exports', async () => {
    const client = EVERY_CLIENT.at(-1)!.make(server.url)
    const runs = await givenRuns(client, 3)
    const dataset = await client.createDataset(aProjectName('corrected'))
    const queue = await client.createAnnotationQueue({ name: aProjectName('queue'), defaultDataset: dataset.id })
    expect(await client.populateAnnotationQueue(queue.id, { projectIds: [runs[0]!.sessionId] })).toBe(3)

    const first = await client.takeRunFromAnnotationQueue(queue.id)
    expect(first!.reserved_by).toHaveLength(1)
    const corrected = await client.addExampleFromAnnotationQueue(queue.id, first!.queue_run_id, {
      outputs: { answer: 'better' },
    })
    expect(corrected).toMatchObject({ dataset_id: dataset.id, inputs: first!.inputs, outputs: { answer: 'better' } })
    const review = await client.reviewRunOfAnnotationQueue(first!.queue_run_id, { status: 'completed' })
    expect(review).toMatchObject({ status: 'completed', is_archived: true })
    expect(await client.getTotalsFromAnnotationQueue(queue.id)).toEqual({ total: 3, archived: 1 })
    const completed = await collect(client.listRunsFromAnnotationQueue(queue.id, { status: 'completed' }))
    expect(completed.map((run) => run.id)).toEqual([first!.id])
    expect(await client.exportAnnotationQueue(queue.id)).toContain(first!.id)

    const second = await client.takeRunFromAnnotationQueue(queue.id)
    expect(second!.id).not.toBe(first!.id)
    await client.reviewRunOfAnnotationQueue(second!.queue_run_id, { status: null, overrideAddedAt: new Date() })
    const order = await collect(client.listRunsFromAnnotationQueue(queue.id, { status: 'needs_my_review' }))
    expect(order.at(-1)!.id).toBe(second!.id)
  })
})
