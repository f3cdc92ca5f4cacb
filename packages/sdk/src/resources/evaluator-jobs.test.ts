import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'

describe('jobs that judge experiments', () => {
  let server: Recorder
  let client: Client
  beforeEach(async () => {
    server = await Recorder.start()
    client = new Client({ apiUrl: server.url })
    server.respond(() => ({ body: { id: ID, state: 'COMPLETED' } }))
  })
  afterEach(() => server.stop())

  it('are estimated, created, read, paused, resumed and stopped', async () => {
    const job = { evaluator_id: ID, experiment_ids: [ID], again: true }
    await client.estimateEvaluatorJob(job)
    await client.createEvaluatorJob(job)
    await client.listEvaluatorJobs({ datasetId: ID, limit: 2 })
    await client.pauseEvaluatorJob(ID)
    await client.resumeEvaluatorJob(ID, { max_cost_usd: 2 })
    await client.stopEvaluatorJob(ID)
    expect(await client.waitForEvaluatorJob(ID)).toMatchObject({ state: 'COMPLETED' })
    const asked = server.calls.map(({ method, path, body }) => [
      `${method} ${path}`,
      body.length > 0 ? JSON.parse(body.toString()) : undefined,
    ])
    expect(asked).toEqual([
      ['POST /evaluators/jobs/estimate', job],
      ['POST /evaluators/jobs', job],
      ['GET /evaluators/jobs', undefined],
      [`POST /evaluators/jobs/${ID}/pause`, undefined],
      [`POST /evaluators/jobs/${ID}/resume`, { limits: { max_cost_usd: 2 } }],
      [`POST /evaluators/jobs/${ID}/stop`, undefined],
      [`GET /evaluators/jobs/${ID}`, undefined],
    ])
    await expect(client.readEvaluatorJob('../preview')).rejects.toThrow(/uuid/i)
  })
})
