import { contract, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import type { StartedApp } from './start-app.ts'

/** Finished root runs of a project; `at` numbers them in their inputs. */
export async function someRuns(
  app: StartedApp,
  count: number,
  options: { readonly project?: string; readonly thread?: string; readonly headers?: Record<string, string> } = {},
): Promise<string[]> {
  const startMs = Date.now() - 60_000
  const post = Array.from({ length: count }, (_, at) => {
    const id = uuid7()
    const start_time = timeOfEpochMs(startMs + at)
    return {
      id,
      trace_id: id,
      dotted_order: start_time.replaceAll(/[-:.]/g, '') + id,
      name: 'answer',
      run_type: 'chain',
      session_name: options.project ?? 'to review',
      start_time,
      end_time: timeOfEpochMs(startMs + at + 500),
      inputs: { at },
      outputs: { answer: at },
      extra: { metadata: options.thread ? { thread_id: options.thread } : {} },
    }
  })
  const answer = await app.call(contract.runs.batch, { body: { post }, headers: options.headers ?? {} })
  if (answer.status !== 202) throw new Error(answer.text)
  return post.map(({ id }) => id)
}

/** A queue, with runs in it. */
export async function aQueue(
  app: StartedApp,
  body: object = {},
  runIds: readonly string[] = [],
  headers: Record<string, string> = {},
): Promise<string> {
  const created = await app.call(contract.annotationQueues.create, { body: { name: 'queue', ...body }, headers })
  if (created.status !== 200) throw new Error(created.text)
  const params = { queue_id: created.body.id }
  const added = await app.call(contract.annotationQueues.addRuns, { params, body: runIds, headers })
  if (added.status !== 200) throw new Error(added.text)
  return created.body.id
}
