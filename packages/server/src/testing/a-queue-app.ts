import { contract } from '@touchstone/contract'
import { afterAll, beforeAll } from 'vitest'
import type { Relational } from '../storage/relational/port.ts'
import { type StartedApp, startApp } from './start-app.ts'

const { annotationQueues: routes } = contract
type Query = Record<string, string>

/**
 * A server with a fixed clock at `nowMs`, which a test may change, and short functions for calls of its annotation
 * queues. Starts before the tests of the group that calls it and stops after them.
 */
export function aQueueApp(open: () => Promise<Relational>) {
  const fixture = { nowMs: Date.now() } as { app: StartedApp; relational: Relational; nowMs: number }

  beforeAll(async () => {
    fixture.relational = await open()
    fixture.app = await startApp({ relational: fixture.relational, clock: () => fixture.nowMs })
  })
  afterAll(async () => {
    await fixture.app.close()
    await fixture.relational.close()
  })

  const read = (queue_id: string) => fixture.app.call(routes.read, { params: { queue_id } })
  const update = (queue_id: string, body: object | string) =>
    fixture.app.call(routes.update, { params: { queue_id }, body })
  const list = async (query: Record<string, string | string[]>) => (await fixture.app.call(routes.list, { query })).body
  const add = (queue_id: string, body: unknown) => fixture.app.call(routes.addRuns, { params: { queue_id }, body })
  const listRuns = async (queue_id: string, query: Query = {}) =>
    (await fixture.app.call(routes.listRuns, { params: { queue_id }, query })).body
  const listIds = async (queue_id: string, query: Query = {}) => (await listRuns(queue_id, query)).map((run) => run.id)
  const at = (queue_id: string, index: number, query: Query = {}) =>
    fixture.app.call(routes.readRun, { params: { queue_id, index: String(index) }, query })
  const say = (queue_run_id: string, body: object) =>
    fixture.app.call(routes.updateReview, { params: { queue_run_id }, body })
  const size = async (queue_id: string, query: Query = {}) =>
    (await fixture.app.call(routes.size, { params: { queue_id }, query })).body.size
  const remove = (queue_id: string, queue_run_id: string) =>
    fixture.app.call(routes.deleteRun, { params: { queue_id, queue_run_id } })
  return Object.assign(fixture, { read, update, list, add, listRuns, listIds, at, say, size, remove })
}
