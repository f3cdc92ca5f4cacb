import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../test/recorder.ts'
import { PublicDatasetClient, uuid7 } from './index.ts'

const TOKEN = uuid7()
const EXPERIMENT = uuid7()
const OTHER = uuid7()
const COMPARISON = uuid7()

let server: Recorder
let client: PublicDatasetClient

beforeEach(async () => {
  process.env.TOUCHSTONE_API_KEY = 'secret'
  process.env.TOUCHSTONE_WORKSPACE_ID = 'workspace'
  server = await Recorder.start()
  client = new PublicDatasetClient(TOKEN, { apiUrl: server.url })
})
afterEach(async () => {
  delete process.env.TOUCHSTONE_API_KEY
  delete process.env.TOUCHSTONE_WORKSPACE_ID
  await server.stop()
})

describe('a client of a shared dataset', () => {
  it('reads the dataset, its examples and its experiments without credentials', async () => {
    server.respond(({ path }) => ({
      body: path.endsWith('/count') ? 3 : path.endsWith('/search') ? { example_ids: ['e'] } : [],
    }))
    await client.readDataset()
    await client.queryExamples({ limit: 5, metadata: { a: 1 } })
    expect(await client.countExamples({ splits: ['test'] })).toBe(3)
    await client.queryExperiments({ include_stats: true })
    await client.queryExamplesWithRuns({ session_ids: [EXPERIMENT] })
    await client.readExperimentCells({ experimentIds: [EXPERIMENT] })
    expect(await client.searchExperiments({ experimentIds: [EXPERIMENT], text: 'x' })).toEqual(['e'])
    await client.compareExperiments({ baselineId: EXPERIMENT, experimentIds: [OTHER] })
    for await (const _ of client.listComparativeExperiments({ ids: [COMPARISON] }));
    await client.queryFeedback({ comparative_experiment_id: COMPARISON })

    expect(
      server.requests.map(({ method, path, query }) => `${method} ${path}${query.size ? `?${query}` : ''}`),
    ).toEqual([
      `GET /public/${TOKEN}/datasets`,
      `GET /public/${TOKEN}/examples?limit=5&metadata=%7B%22a%22%3A1%7D`,
      `GET /public/${TOKEN}/examples/count?splits=test`,
      `GET /public/${TOKEN}/datasets/sessions?include_stats=true`,
      `POST /public/${TOKEN}/examples/runs`,
      `POST /public/${TOKEN}/datasets/experiments/cells`,
      `POST /public/${TOKEN}/datasets/experiments/search`,
      `POST /public/${TOKEN}/datasets/experiments/statistics`,
      `GET /public/${TOKEN}/datasets/comparative?id=${COMPARISON}&offset=0&limit=100`,
      `GET /public/${TOKEN}/datasets/feedback?comparative_experiment_id=${COMPARISON}`,
    ])
    for (const { headers } of server.requests) {
      expect(headers).not.toHaveProperty('x-api-key')
      expect(headers).not.toHaveProperty('x-tenant-id')
    }
  })
})
