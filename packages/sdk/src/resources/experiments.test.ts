import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const DATASET = '6f3b2a54-0c0e-4d0e-9a55-0f3a3c6e1d01'
const A = '9c2e2d4e-51b0-4b63-9d0c-7a0b1f0c2201'
const B = '9c2e2d4e-51b0-4b63-9d0c-7a0b1f0c2202'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { id: A, reference_dataset_id: DATASET } }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const bodies = () => server.requests.map(({ body }) => (body.length > 0 ? JSON.parse(body.toString()) : undefined))
const sent = () =>
  server.requests.map(({ method, path, query }) => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`)

describe('comparative experiments', () => {
  it.each([
    [
      'no experiment',
      () => client.createComparativeExperiment({ name: 'a', experimentIds: [] }),
      'At least one experiment is required',
    ],
    [
      'a bad id',
      () => client.createComparativeExperiment({ name: 'a', experimentIds: [A, 'x'] }),
      'Invalid UUID for experimentIds[1]: x',
    ],
    ['a bad id to delete', () => client.deleteComparativeExperiment('x'), 'Invalid UUID: x'],
  ])('are refused with %s before any request', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })

  it('are over the dataset of the first experiment unless another is named', async () => {
    const createdAt = new Date('2025-03-02T09:00:00Z')
    await client.createComparativeExperiment({ name: 'a vs. b', experimentIds: [A, B], metadata: { m: 1 }, createdAt })
    await client.createComparativeExperiment({ name: 'c', experimentIds: [A], referenceDatasetId: B, id: A })
    expect(sent()).toEqual([`GET /sessions/${A}`, 'POST /datasets/comparative', 'POST /datasets/comparative'])
    expect(bodies().slice(1)).toEqual([
      {
        name: 'a vs. b',
        experiment_ids: [A, B],
        reference_dataset_id: DATASET,
        created_at: createdAt.toISOString(),
        extra: { metadata: { m: 1 } },
      },
      { id: A, name: 'c', experiment_ids: [A], reference_dataset_id: B, extra: {} },
    ])
  })

  it('need a dataset', async () => {
    server.respond(() => ({ body: { id: A, reference_dataset_id: null } }))
    const call = client.createComparativeExperiment({ name: 'a', experimentIds: [A] })
    await expect(call).rejects.toThrow(/^A reference dataset is required$/)
    expect(sent()).toEqual([`GET /sessions/${A}`])
  })

  it('are listed and deleted', async () => {
    server.respond(() => ({ body: [{ id: A }] }))
    const listed: unknown[] = []
    for await (const one of client.listComparativeExperiments({ datasetId: DATASET, nameContains: 'a' }))
      listed.push(one)
    expect(listed).toEqual([{ id: A }])
    await client.deleteComparativeExperiment(A)
    expect(sent()).toEqual([
      `GET /datasets/${DATASET}/comparative?name_contains=a&offset=0&limit=100`,
      `DELETE /datasets/comparative/${A}`,
    ])
  })
})

describe('experiments', () => {
  it('are searched for a text', async () => {
    server.respond(() => ({ body: { example_ids: [A] } }))
    expect(await client.searchExperiments({ datasetId: DATASET, experimentIds: [B], text: 'refund' })).toEqual([A])
    expect(sent()).toEqual([`POST /datasets/${DATASET}/experiments/search`])
    expect(bodies()).toEqual([{ session_ids: [B], text: 'refund' }])
  })

  it('are read in columns, with a comparison when it is named', async () => {
    await client.readExperimentCells({ datasetId: DATASET, experimentIds: [A, B] })
    await client.readExperimentCells({ datasetId: DATASET, experimentIds: [A], comparativeExperimentId: B })
    expect(sent()).toEqual(Array(2).fill(`POST /datasets/${DATASET}/experiments/cells`))
    expect(bodies()).toEqual([{ session_ids: [A, B] }, { session_ids: [A], comparative_experiment_id: B }])
    await expect(client.readExperimentCells({ datasetId: DATASET, experimentIds: ['x'] })).rejects.toThrow(
      'Invalid UUID for experimentIds[0]: x',
    )
  })

  it('are read example by example, page after page, up to the limit', async () => {
    server.respond(({ body }) => {
      const { limit } = JSON.parse(body.toString())
      return { body: Array.from({ length: limit }, () => ({ id: A, inputs: {}, attachment_urls: null, runs: [] })) }
    })
    let count = 0
    const params = { datasetId: DATASET, experimentIds: [A, B], sortByFeedback: 'k', preview: true, limit: 130 }
    for await (const { runs } of client.listExamplesWithRuns(params)) count += 1 + runs.length
    expect(count).toBe(130)
    expect(sent()).toEqual([`POST /datasets/${DATASET}/runs`, `POST /datasets/${DATASET}/runs`])
    const query = { session_ids: [A, B], preview: true, sort_params: { sort_by: 'feedback.k', sort_order: 'DESC' } }
    expect(bodies()).toEqual([
      { ...query, offset: 0, limit: 100 },
      { ...query, offset: 100, limit: 30 },
    ])
  })

  it('are compared with a baseline', async () => {
    const params = { datasetId: DATASET, baselineId: A, experimentIds: [B] }
    await client.compareExperiments({ ...params, feedbackKeys: ['k'], confidence: 0.9, seed: 7 })
    server.respond(() => ({ body: { feedback_deltas: { [B]: { improved_examples: [], regressed_examples: [A] } } } }))
    const deltas = await client.getExperimentDeltas({ ...params, feedbackKey: 'k' })
    expect(deltas[B]!.regressed_examples).toEqual([A])
    expect(sent()).toEqual([`POST /datasets/${DATASET}/experiments/statistics`, `POST /datasets/${DATASET}/runs/delta`])
    const sides = { baseline_session_id: A, comparison_session_ids: [B] }
    expect(bodies()).toEqual([
      { ...sides, feedback_keys: ['k'], confidence: 0.9, seed: 7 },
      { ...sides, feedback_key: 'k' },
    ])
    await expect(client.compareExperiments({ ...params, experimentIds: ['x'] })).rejects.toThrow('Invalid UUID')
  })

  it('are grouped by metadata', async () => {
    server.respond(() => ({ body: { groups: [{ group_key: 'a' }] } }))
    const query = { session_ids: [A], group_by: 'example_metadata' as const, metadata_key: 'm' }
    expect(await client.groupExamplesWithRuns(DATASET, query)).toEqual([{ group_key: 'a' }])
    expect(sent()).toEqual([`POST /datasets/${DATASET}/group/runs`])
  })

  it('are grouped by their own metadata, and recorded when they ran elsewhere', async () => {
    server.respond(({ path }) => ({ body: path.endsWith('grouped') ? { groups: [{ session_count: 1 }] } : {} }))
    expect(await client.groupExperiments(DATASET, { metadata_keys: ['model'] })).toEqual([{ session_count: 1 }])
    const at = '2025-03-02T09:00:00Z'
    const results = [{ inputs: { q: 1 }, actual_outputs: { a: 1 }, start_time: at, end_time: at }]
    const upload = {
      experiment_name: 'e',
      dataset_name: 'd',
      experiment_start_time: at,
      experiment_end_time: at,
      results,
    }
    await client.uploadExperiment(upload)
    expect(sent()).toEqual([`POST /datasets/${DATASET}/experiments/grouped`, 'POST /datasets/upload-experiment'])
    expect(bodies()).toEqual([{ metadata_keys: ['model'] }, upload])
  })

  it('are shown as it was said', async () => {
    const columns = [{ column: 'feedback.tone', precision: 2 }]
    await client.listExperimentViewOverrides(DATASET)
    await client.createExperimentViewOverride(DATASET, columns)
    await client.updateExperimentViewOverride(DATASET, A, columns)
    await client.deleteExperimentViewOverride(DATASET, A)
    const path = `/datasets/${DATASET}/experiment-view-overrides`
    expect(sent()).toEqual([`GET ${path}`, `POST ${path}`, `PATCH ${path}/${A}`, `DELETE ${path}/${A}`])
    expect(bodies()).toEqual([undefined, { column_overrides: columns }, { column_overrides: columns }, undefined])
    await expect(client.deleteExperimentViewOverride(DATASET, 'x')).rejects.toThrow('Invalid UUID for overrideId: x')
  })
})
