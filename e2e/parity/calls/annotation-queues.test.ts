import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../../clients/javascript/a-client.ts'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { callOf, type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

describe('calls about annotation queues', () => {
  it('GET and POST /annotation-queues create a queue with its rubric, and list a hundred at a time', async () => {
    const name = aProjectName('queue')
    const queue = await watched.client.createAnnotationQueue({
      name,
      description: 'd',
      rubricInstructions: 'Be strict.',
    })
    // The rubric is not in the answer to a creation, nor in lists.
    expect(queue).toMatchObject({ name, description: 'd' })
    expect(await watched.client.readAnnotationQueue(queue.id)).toMatchObject({ rubric_instructions: 'Be strict.' })
    expect(await collect(watched.client.listAnnotationQueues({ name }))).toMatchObject([{ id: queue.id, name }])
    expect(await collect(watched.client.listAnnotationQueues({ queueIds: [queue.id], limit: 5000 }))).toHaveLength(1)
    const [create, , byName, byId] = watched.taken()
    expect(create).toEqual({
      call: callOf(contract.annotationQueues.create),
      query: {},
      body: { id: queue.id, name, description: 'd', rubric_instructions: 'Be strict.' },
    })
    expect(byName!.call).toBe(callOf(contract.annotationQueues.list))
    expect(byName!.query).toMatchObject({ name, limit: '100' })
    expect(byId!.query).toMatchObject({ ids: queue.id, limit: '100' })
  })

  it('GET, PATCH and DELETE /annotation-queues/{id} read, change and delete one', async () => {
    const { id } = await watched.client.createAnnotationQueue({ name: aProjectName('queue') })
    watched.taken()
    await watched.client.updateAnnotationQueue(id, { description: 'new', rubricInstructions: 'Be kind.' })
    const changed = { description: 'new', rubric_instructions: 'Be kind.' }
    expect(await watched.client.readAnnotationQueue(id)).toMatchObject(changed)
    await watched.client.deleteAnnotationQueue(id)
    await expect(watched.client.readAnnotationQueue(id)).rejects.toMatchObject({ status: 404 })
    const { read, update, delete: remove } = contract.annotationQueues
    const sent = watched.taken()
    expect(sent.map(({ call }) => call)).toEqual([update, read, remove, read].map(callOf))
    expect(sent[0]!.body).toEqual(changed)
  })

  it('POST /annotation-queues/{id}/runs adds runs, which are read by index, counted and taken out', async () => {
    const { client } = watched
    const { id } = await client.createAnnotationQueue({ name: aProjectName('queue') })
    const runs = [0, 1].map((at) => aRunHead({ session_name: aProjectName('waiting'), inputs: { at } }))
    await client.multipartIngestRuns({ runCreates: runs as never })
    const runIds = runs.map((run) => run.id)
    watched.taken()
    await client.addRunsToAnnotationQueue(id, runIds)
    expect(await client.getSizeFromAnnotationQueue(id)).toEqual({ size: 2 })
    const waiting = [await client.getRunFromAnnotationQueue(id, 0), await client.getRunFromAnnotationQueue(id, 1)]
    expect(waiting.map((run) => run.id).sort()).toEqual([...runIds].sort())
    await client.deleteRunFromAnnotationQueue(id, waiting[0]!.queue_run_id)
    expect(await client.getSizeFromAnnotationQueue(id)).toEqual({ size: 1 })
    expect(await client.getRunFromAnnotationQueue(id, 0)).toMatchObject({ id: waiting[1]!.id })
    const { addRuns, size, readRun, deleteRun } = contract.annotationQueues
    const sent = watched.taken()
    expect(sent.map(({ call }) => call)).toEqual(
      [addRuns, size, readRun, readRun, deleteRun, size, readRun].map(callOf),
    )
    expect(sent[0]!.body).toEqual(runIds)
  })
})
