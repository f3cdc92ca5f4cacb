import { randomUUID } from 'node:crypto'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../clients/javascript/a-client.ts'
import { aRunHead } from '../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

let server: SharedServer
let client: Client
let datasetId: string
beforeAll(async () => {
  server = await shareServer()
  client = new Client({ apiUrl: `${server.url}/api/v1` })
  datasetId = (await client.createDataset(aProjectName('entities'))).id
})
afterAll(() => server?.stop())

async function recordRun() {
  const session_name = aProjectName('entities')
  const run = aRunHead({ session_name, inputs: { q: 1 }, outputs: { a: 1 } })
  await client.multipartIngestRuns({ runCreates: [run] as never })
  return { runId: run.id, projectId: (await client.readProject({ projectName: session_name })).id }
}

describe('an entity has the fields of the specification', () => {
  it('as a project', async () => {
    const projectName = aProjectName('project')
    const given = { projectName, description: 'd', metadata: { m: 1 }, referenceDatasetId: datasetId }
    const { id } = await client.createProject(given)
    const endTime = '2030-01-01T00:00:00.000Z'
    await client.updateProject(id, { endTime })
    const project = await client.readProject({ projectId: id })
    expect(project).toMatchObject({
      id,
      tenant_id: expect.any(String),
      name: projectName,
      description: 'd',
      extra: { metadata: { m: 1 } },
      reference_dataset_id: datasetId,
    })
    expect(Date.parse(project.end_time!)).toBe(Date.parse(endTime))
  })

  it('as a dataset, of type kv unless it is said otherwise', async () => {
    const name = aProjectName('dataset')
    const [inputsSchema, outputsSchema] = [
      { type: 'object', title: 'in' },
      { type: 'object', title: 'out' },
    ]
    const { id } = await client.createDataset(name, {
      description: 'd',
      inputsSchema,
      outputsSchema,
      metadata: { m: 1 },
    })
    expect(await client.readDataset({ datasetId: id })).toMatchObject({
      id,
      name,
      description: 'd',
      data_type: 'kv',
      inputs_schema_definition: inputsSchema,
      outputs_schema_definition: outputsSchema,
      metadata: { m: 1 },
    })
    const typed = await client.createDataset(aProjectName('dataset'), { dataType: 'llm' })
    expect(typed.data_type).toBe('llm')
  })

  it('as an example', async () => {
    const { runId } = await recordRun()
    const id = randomUUID()
    const created_at = '2024-05-06T07:08:09.000Z'
    const attachments = { note: ['text/plain', Buffer.from('n')] as [string, Uint8Array] }
    await client.createExample({
      id,
      dataset_id: datasetId,
      inputs: { q: 1 },
      outputs: { a: 1 },
      metadata: { m: 1 },
      split: 'train',
      created_at,
      source_run_id: runId,
      attachments,
    })
    const example = await client.readExample(id)
    expect(example).toMatchObject({
      id,
      dataset_id: datasetId,
      inputs: { q: 1 },
      outputs: { a: 1 },
      metadata: { m: 1, dataset_split: ['train'] },
      source_run_id: runId,
      attachments: { note: { presigned_url: expect.stringMatching(/^http/), mime_type: 'text/plain' } },
    })
    expect(Date.parse(example.created_at)).toBe(Date.parse(created_at))
  })

  it('as an example made of a run', async () => {
    const session_name = aProjectName('source')
    const run = aRunHead({
      session_name,
      inputs: { q: 'of the run' },
      outputs: { a: 'too' },
      attachments: { scan: ['image/png', Buffer.from('pixels')] },
    })
    await client.multipartIngestRuns({ runCreates: [run] as never })
    const example = await client.createExample({
      dataset_id: datasetId,
      source_run_id: run.id,
      use_source_run_io: true,
      use_source_run_attachments: ['scan'],
    } as never)
    expect(example).toMatchObject({
      inputs: { q: 'of the run' },
      outputs: { a: 'too' },
      source_run_id: run.id,
      attachments: { scan: { mime_type: 'image/png' } },
    })
  })

  it('as feedback on a run, and on a project', async () => {
    const { runId, projectId } = await recordRun()
    const comparison = await client.createComparativeExperiment({
      name: 'pair',
      experimentIds: [
        (await client.createProject({ projectName: aProjectName('side'), referenceDatasetId: datasetId })).id,
      ],
    })
    const comparativeExperimentId = comparison.id
    const feedbackConfig = { type: 'continuous' as const, min: 0, max: 1 }
    const given = { score: 0.5, value: 'v', correction: { a: 2 }, comment: 'c', sourceInfo: { by: 'me' } }
    const { id } = await client.createFeedback(runId, 'key', { ...given, comparativeExperimentId, feedbackConfig })
    expect(await client.readFeedback(id)).toMatchObject({
      id,
      run_id: runId,
      key: 'key',
      score: 0.5,
      value: 'v',
      correction: { a: 2 },
      comment: 'c',
      feedback_source: { type: 'api', metadata: { by: 'me' } },
      comparative_experiment_id: comparativeExperimentId,
      session_id: projectId,
    })
    const onProject = await client.createFeedback(null, 'overall', { projectId, score: 1 })
    expect(await client.readFeedback(onProject.id)).toMatchObject({ run_id: null, session_id: projectId, score: 1 })
    for await (const config of client.listFeedbackConfigs({ feedbackKeys: ['key'] })) {
      expect(config.feedback_config).toMatchObject(feedbackConfig)
    }
  })

  it('as a comparison', async () => {
    const project = { projectName: aProjectName('side'), referenceDatasetId: datasetId }
    const experimentIds = [(await client.createProject(project)).id]
    const createdAt = new Date('2025-01-02T03:04:05.000Z')
    const given = { id: randomUUID(), name: 'pair', experimentIds, description: 'd', createdAt, metadata: { m: 1 } }
    const made = await client.createComparativeExperiment(given)
    expect(made).toMatchObject({
      id: given.id,
      name: 'pair',
      reference_dataset_id: datasetId,
      description: 'd',
      extra: { metadata: { m: 1 } },
    })
    expect(Date.parse(made.created_at)).toBe(createdAt.getTime())
    const [listed] = await collect(client.listComparativeExperiments({ datasetId, ids: [given.id] }))
    expect(listed!.experiments_info?.map((one) => one.id)).toEqual(experimentIds)
  })

  it('as an annotation queue', async () => {
    const given = { name: aProjectName('queue'), description: 'd', rubricInstructions: 'Be strict.' }
    const { id } = await client.createAnnotationQueue(given)
    expect(await client.readAnnotationQueue(id)).toMatchObject({
      id,
      name: given.name,
      description: 'd',
      rubric_instructions: 'Be strict.',
    })
  })
})
