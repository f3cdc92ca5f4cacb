import { contract } from '@touchstone/contract'
import { afterAll, beforeAll } from 'vitest'
import type { Relational } from '../storage/relational/port.ts'
import { type StartedApp, startApp } from './start-app.ts'

const { annotationQueues: routes } = contract
type Query = Record<string, string>

/**
 * A server whose clock stands at `nowMs` until a test moves it, and short words for what is said to its annotation
 * queues. Starts before the tests of the group it is called in, stops after them.
 */
export function aQueueDesk(open: () => Promise<Relational>) {
  const desk = { nowMs: Date.now() } as { app: StartedApp; relational: Relational; nowMs: number }

  beforeAll(async () => {
    desk.relational = await open()
    desk.app = await startApp({ relational: desk.relational, clock: () => desk.nowMs })
  })
  afterAll(async () => {
    await desk.app.close()
    await desk.relational.close()
  })

  const read = (queue_id: string) => desk.app.call(routes.read, { params: { queue_id } })
  const update = (queue_id: string, body: object | string) =>
    desk.app.call(routes.update, { params: { queue_id }, body })
  const list = async (query: Record<string, string | string[]>) => (await desk.app.call(routes.list, { query })).body
  const add = (queue_id: string, body: unknown) => desk.app.call(routes.addRuns, { params: { queue_id }, body })
  const runsOf = async (queue_id: string, query: Query = {}) =>
    (await desk.app.call(routes.listRuns, { params: { queue_id }, query })).body
  const idsOf = async (queue_id: string, query: Query = {}) => (await runsOf(queue_id, query)).map((run) => run.id)
  const at = (queue_id: string, index: number, query: Query = {}) =>
    desk.app.call(routes.readRun, { params: { queue_id, index: String(index) }, query })
  const say = (queue_run_id: string, body: object) =>
    desk.app.call(routes.updateReview, { params: { queue_run_id }, body })
  const size = async (queue_id: string, query: Query = {}) =>
    (await desk.app.call(routes.size, { params: { queue_id }, query })).body.size
  const remove = (queue_id: string, queue_run_id: string) =>
    desk.app.call(routes.deleteRun, { params: { queue_id, queue_run_id } })
  return Object.assign(desk, { read, update, list, add, runsOf, idsOf, at, say, size, remove })
}
