import { randomUUID } from 'node:crypto'
import type { Run } from 'langsmith/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAsSent, withoutUnselected } from '../../support/expect-as-sent.ts'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import maximal from '../maximal-run.json' with { type: 'json' }
import { aClient, aProjectName, collect } from './a-client.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

/** The largest run of the shared table, with an identity. */
function aMaximalRun() {
  const { id, trace_id, dotted_order } = aRunHead({ start_time: maximal.start_time.replace('+00:00', 'Z') })
  return { ...maximal, id, trace_id, dotted_order, reference_example_id: randomUUID() }
}

/** What a run of a model adds: read once, here, for every path a run can take. */
function expectDerived(run: Run) {
  expect(run).toMatchObject({
    status: 'error',
    total_tokens: 30,
    prompt_tokens: 20,
    completion_tokens: 10,
    thread_id: 'thread-42',
    first_token_time: '2025-07-10T04:42:19.500000Z',
  })
  // gpt-4.1: 2 $ per million in, 0.5 $ cached, 8 $ out; fifteen full, five cached, ten out.
  expect(Number((run as unknown as { prompt_cost: string }).prompt_cost)).toBeCloseTo(15 * 2e-6 + 5 * 0.5e-6, 12)
  expect(Number((run as unknown as { completion_cost: string }).completion_cost)).toBeCloseTo(10 * 8e-6, 12)
}

describe('every field of a run, sent by the public JavaScript client', () => {
  it('comes back from one create, one by one', async () => {
    const client = aClient(server.url, { autoBatchTracing: false })
    const run = aMaximalRun()

    await client.createRun({ ...run, project_name: aProjectName('single') })
    const read = await client.readRun(run.id)

    expectAsSent({ ...read }, run)
    expectDerived(read)
  })

  it.each([
    ['multipart', 'multipartIngestRuns'],
    ['batch', 'batchIngestRuns'],
  ] as const)('comes back from a create and an update by %s', async (_, method) => {
    const client = aClient(server.url)
    const { end_time, outputs, error, events, ...atStart } = aMaximalRun()
    const place = { id: atStart.id, trace_id: atStart.trace_id, dotted_order: atStart.dotted_order }

    await client[method]({ runCreates: [{ ...atStart, session_name: aProjectName(method) }] })
    await client[method]({ runUpdates: [{ ...place, end_time, outputs, error, events }] })
    const read = await client.readRun(place.id)

    expectAsSent({ ...read }, { ...atStart, end_time, outputs, error, events })
    expectDerived(read)
  })

  it('comes back in a list as it does alone, also when the update came first', async () => {
    const client = aClient(server.url)
    const projectName = aProjectName('list')
    const { end_time, outputs, error, events, ...atStart } = aMaximalRun()
    const place = { id: atStart.id, trace_id: atStart.trace_id, dotted_order: atStart.dotted_order }

    await client.multipartIngestRuns({
      runUpdates: [{ ...place, end_time, outputs, error, events, session_name: projectName }],
    })
    await client.multipartIngestRuns({ runCreates: [{ ...atStart, session_name: projectName } as never] })
    const [listed] = await collect(client.listRuns({ projectName }))
    const alone = await client.readRun(place.id)

    expectAsSent({ ...listed! }, withoutUnselected({ ...atStart, end_time, outputs, error, events }))
    for (const field of Object.keys(listed!)) expect({ ...listed! }[field as 'id'], field).toEqual(alone[field as 'id'])
  })
})
