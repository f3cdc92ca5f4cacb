import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../../clients/javascript/a-client.ts'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { callOf, type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
let runId: string
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
  const run = aRunHead({ session_name: aProjectName('judged'), inputs: {} })
  await watched.client.multipartIngestRuns({ runCreates: [run] as never })
  runId = run.id
  watched.taken()
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

describe('calls about feedback', () => {
  it('POST /feedback gives it with its source, of type api unless it is said otherwise', async () => {
    const feedbackConfig = { type: 'continuous' as const, min: 0, max: 1 }
    const given = await watched.client.createFeedback(runId, 'right', {
      score: 1,
      value: 'yes',
      correction: { a: 2 },
      comment: 'c',
      sourceInfo: { by: 'hand' },
      feedbackConfig,
    })
    expect(watched.taken()).toEqual([
      {
        call: callOf(contract.feedback.create),
        query: {},
        body: {
          id: given.id,
          run_id: runId,
          key: 'right',
          score: 1,
          value: 'yes',
          correction: { a: 2 },
          comment: 'c',
          feedback_source: { type: 'api', metadata: { by: 'hand' } },
          feedbackConfig,
        },
      },
    ])
    expect(await watched.client.readFeedback(given.id)).toMatchObject({
      score: 1,
      feedback_source: { type: 'api', metadata: { by: 'hand' } },
    })
  })

  it('PATCH, GET and DELETE /feedback/{id} change, read and delete it', async () => {
    const { id } = await watched.client.createFeedback(runId, 'changed', { score: 0 })
    watched.taken()
    await watched.client.updateFeedback(id, { score: 1, value: 'v', correction: { a: 1 }, comment: 'better' })
    expect(await watched.client.readFeedback(id)).toMatchObject({ score: 1, value: 'v', comment: 'better' })
    await watched.client.deleteFeedback(id)
    await expect(watched.client.readFeedback(id)).rejects.toMatchObject({ status: 404 })
    const [update, ...rest] = watched.taken()
    expect(update).toEqual({
      call: callOf(contract.feedback.update),
      query: {},
      body: { score: 1, value: 'v', correction: { a: 1 }, comment: 'better' },
    })
    expect(rest.map(({ call }) => call)).toEqual(
      [contract.feedback.read, contract.feedback.delete, contract.feedback.read].map(callOf),
    )
  })

  it('GET /feedback lists by run, key and source', async () => {
    const { id } = await watched.client.createFeedback(runId, 'listed', { score: 1, feedbackSourceType: 'model' })
    watched.taken()
    const params = { runIds: [runId], feedbackKeys: ['listed'], feedbackSourceTypes: ['model' as const] }
    expect(await collect(watched.client.listFeedback(params))).toMatchObject([{ id }])
    const [sent] = watched.taken()
    expect(sent!.call).toBe(callOf(contract.feedback.list))
    expect(sent!.query).toMatchObject({ run: runId, key: 'listed', source: 'model' })
  })

  it('POST and GET /feedback/tokens give tokens, which expire after three hours unless it is said otherwise', async () => {
    const before = Date.now()
    const token = await watched.client.createPresignedFeedbackToken(runId, 'thumb')
    const threeHours = 3 * 3600 * 1000
    expect(Date.parse(token.expires_at) - before).toBeGreaterThan(threeHours - 5_000)
    expect(Date.parse(token.expires_at) - Date.now()).toBeLessThan(threeHours + 5_000)
    const expiration = new Date(before + 60_000).toISOString()
    await watched.client.createPresignedFeedbackToken(runId, 'soon', { expiration })
    expect(await collect(watched.client.listPresignedFeedbackTokens(runId))).toHaveLength(2)
    const [first, second, list] = watched.taken()
    const call = callOf(contract.feedbackTokens.create)
    expect(first).toEqual({ call, query: {}, body: { run_id: runId, feedback_key: 'thumb', expires_in: { hours: 3 } } })
    expect(second).toEqual({ call, query: {}, body: { run_id: runId, feedback_key: 'soon', expires_at: expiration } })
    expect(list!.call).toBe(callOf(contract.feedbackTokens.list))
    expect(list!.query).toMatchObject({ run_id: runId })
  })
})
