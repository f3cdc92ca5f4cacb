import { randomBytes, randomUUID } from 'node:crypto'
import { Client, type UploadProgress } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aProjectName, collect } from './a-client.ts'

let server: SharedServer
let elsewhere: SharedServer
let client: Client
beforeAll(async () => {
  server = await shareServer()
  elsewhere = await shareServer()
  client = new Client({ apiUrl: `${server.url}/api/v1` })
})
afterAll(async () => {
  await server?.stop()
  await elsewhere?.stop()
})

const EXAMPLES = 20
const projects: Record<'before' | 'after', string> = { before: '', after: '' }

/** Two experiments over one dataset: `before` scores 0 everywhere, `after` 1 on all but the last example. */
async function recordExperiments() {
  const { id: datasetId } = await client.createDataset(aProjectName('exam'))
  const examples = await client.createExamples(
    Array.from({ length: EXAMPLES }, (_, at) => ({
      dataset_id: datasetId,
      inputs: { at },
      metadata: { half: at % 2 },
    })),
  )
  for (const side of ['before', 'after'] as const) {
    const { id, name } = await client.createProject({ projectName: aProjectName(side), referenceDatasetId: datasetId })
    projects[side] = id
    const record = async (reference_example_id: string, at: number) => {
      const runId = randomUUID()
      const start_time = new Date().toISOString()
      await client.createRun({
        id: runId,
        trace_id: runId,
        dotted_order: `${start_time.replaceAll(/[-:.]|Z$/g, '')}000Z${runId}`,
        name: 'answer',
        run_type: 'chain',
        start_time,
        end_time: start_time,
        inputs: { at },
        outputs: { side },
        project_name: name,
        reference_example_id,
      })
      const score = side === 'after' && at < EXAMPLES - 1 ? 1 : 0
      await client.createFeedback(runId, 'correctness', { score })
    }
    await Promise.all(examples.map((example, at) => record(example.id, at)))
  }
  await client.flush()
  return { datasetId, examples }
}

describe('what only our client does with datasets', () => {
  it('keeps metadata, splits and attachments of what it clones, and skips what is there', async () => {
    const there = new Client({ apiUrl: `${elsewhere.url}/api/v1` })
    const name = aProjectName('whole')
    const { id: datasetId } = await there.createDataset(name)
    const photo = randomBytes(50_000)
    const metadata = { level: 1, deep: { er: [null, 'é'] } }
    const attachments = { 'photo.png': ['image/png', photo] as [string, Uint8Array] }
    await there.createExample({ dataset_id: datasetId, inputs: { q: 1 }, metadata, split: ['a', 'b'], attachments })
    const { share_token } = await there.shareDataset(datasetId)
    const said: string[] = []
    const logger = { info: (text: string) => void said.push(text), warn: (text: string) => void said.push(text) }
    const here = new Client({ apiUrl: `${server.url}/api/v1`, logger })
    const source = { sourceApiUrl: `${elsewhere.url}/api/v1` }

    await here.clonePublicDataset(share_token, source)
    await here.clonePublicDataset(share_token, source)

    expect(said).toEqual([`Dataset ${name} already exists in your tenant. Skipping.`])
    const [copy, ...others] = await collect(here.listExamples({ datasetName: name, includeAttachments: true }))
    expect(others).toEqual([])
    expect(copy).toMatchObject({
      inputs: { q: 1 },
      outputs: null,
      metadata: { ...metadata, dataset_split: ['a', 'b'] },
    })
    const file = await fetch(copy!.attachments!['photo.png']!.presigned_url)
    expect(Buffer.from(await file.arrayBuffer())).toEqual(photo)
  })

  it('uploads a stream a thousand at a time, and tells', async () => {
    const { id: datasetId } = await client.createDataset(aProjectName('stream'))
    async function* rows() {
      for (let at = 0; at < 2500; at++) yield { inputs: { at } }
    }
    const report: UploadProgress[] = []
    const onProgress = (progress: UploadProgress) => void report.push(progress)
    const answer = await client.uploadExamplesMultipart(datasetId, rows(), { onProgress })

    expect(report.map(({ uploaded }) => uploaded)).toEqual([1000, 2000, 2500])
    expect(answer).toMatchObject({ count: 2500, as_of: report[2]!.asOf })
    const versions = await collect(client.listDatasetVersions({ datasetId }))
    expect(versions.map(({ as_of }) => as_of)).toEqual(report.map(({ asOf }) => asOf).reverse())
    expect(await client.countExamples({ dataset: datasetId })).toBe(2500)
    expect(await client.countExamples({ dataset: datasetId, as_of: report[0]!.asOf })).toBe(1000)
    const listed = await collect(client.listExamples({ datasetId }))
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(answer.example_ids))
    const some = answer.example_ids.slice(0, 250)
    expect(await collect(client.listExamples({ datasetId, exampleIds: some }))).toHaveLength(250)
    const page = await client.queryExamples({ dataset: datasetId, order: 'recently_created', limit: 3, metadata: {} })
    expect(page).toHaveLength(3)

    await client.deleteExamples(some)
    await client.deleteExamples(answer.example_ids.slice(250, 300), { hardDelete: true })
    expect((await client.readDataset({ datasetId })).example_count).toBe(2200)
    expect(await client.countExamples({ dataset: datasetId, as_of: report[2]!.asOf })).toBe(2450)
  })

  it('exports in every form, and nothing as nothing', async () => {
    const { id: datasetId } = await client.createDataset(aProjectName('exports'))
    expect(await client.readDatasetOpenaiFinetuning({ datasetId })).toEqual([])
    const inputs = { question: 'why, "really"?' }
    const { id } = await client.createExample({ dataset_id: datasetId, inputs, outputs: { answer: 'so\nit is' } })
    const jsonl = await client.exportDataset({ datasetId, format: 'jsonl' })
    expect(JSON.parse(jsonl)).toMatchObject({ id, inputs, outputs: { answer: 'so\nit is' } })
    expect(await client.exportDataset({ datasetId, format: 'csv' })).toContain('"why, ""really""?","so\nit is"')
    expect(JSON.parse(await client.exportDataset({ datasetId, format: 'openai' }))).toHaveProperty('ideal', 'so\nit is')
  })

  it('copies examples from one dataset into another', async () => {
    const [from, to] = await Promise.all(['from', 'to'].map((word) => client.createDataset(aProjectName(word))))
    const attachments = { 'n.txt': ['text/plain', Buffer.from('note')] as [string, Uint8Array] }
    await client.createExamples([
      { dataset_id: from!.id, inputs: { q: 1 }, split: 'train', attachments },
      { dataset_id: from!.id, inputs: { q: 2 }, split: 'test' },
    ])
    const copied = await client.copyExamples({ sourceDatasetId: from!.id, targetDatasetId: to!.id, split: 'train' })
    expect(copied).toMatchObject([{ dataset_id: to!.id, inputs: { q: 1 }, metadata: { dataset_split: ['train'] } }])
    const { attachments: files } = await client.readExample(copied[0]!.id)
    expect(await (await fetch(files!['n.txt']!.presigned_url)).text()).toBe('note')
  })

  it('changes everything of a dataset that can be changed', async () => {
    const { id: datasetId } = await client.createDataset(aProjectName('changed'), { metadata: { a: 1 } })
    const schema = { type: 'object', properties: { q: { type: 'string' } } }
    const changes = { description: 'x', metadata: { b: 2 }, inputsSchema: schema, transformations: [] }
    const changed = await client.updateDataset({ datasetId, ...changes })
    expect(changed).toMatchObject({ description: 'x', metadata: { b: 2 }, inputs_schema_definition: schema })
    const cleared = await client.updateDataset({ datasetId, description: null, inputsSchema: null })
    expect(cleared).toMatchObject({ description: null, metadata: { b: 2 }, inputs_schema_definition: null })
  })
})

describe('what only our client does with experiments', () => {
  it('reads examples with their runs, differences and statistics', async () => {
    const { datasetId, examples } = await recordExperiments()
    const experimentIds = [projects.before, projects.after]
    const rows = await collect(client.listExamplesWithRuns({ datasetId, experimentIds }))
    expect(rows.map(({ id }) => id).sort()).toEqual(examples.map(({ id }) => id).sort())
    for (const { inputs, runs } of rows) {
      expect(runs.map((run) => [run.session_id, run.inputs, run.outputs])).toEqual([
        [projects.before, inputs, { side: 'before' }],
        [projects.after, inputs, { side: 'after' }],
      ])
      expect(runs[0]!.feedbacks).toMatchObject([{ key: 'correctness', score: 0 }])
    }
    const best = await collect(
      client.listExamplesWithRuns({
        datasetId,
        experimentIds,
        sortByFeedback: 'correctness',
        limit: 19,
        preview: true,
      }),
    )
    expect(best.map(({ id }) => id)).not.toContain(examples.at(-1)!.id)

    const sides = { datasetId, baselineId: projects.before, experimentIds: [projects.after] }
    const deltas = await client.getExperimentDeltas({ ...sides, feedbackKey: 'correctness' })
    expect(deltas[projects.after]!.improved_examples).toHaveLength(EXAMPLES - 1)
    expect(deltas[projects.after]!.regressed_examples).toEqual([])
    const { results } = await client.compareExperiments(sides)
    expect(results).toMatchObject([
      { feedback_key: 'correctness', pair_count: EXAMPLES, wins: EXAMPLES - 1, losses: 0, ties: 1, verdict: 'better' },
    ])
    const query = { session_ids: experimentIds, group_by: 'example_metadata' as const, metadata_key: 'half' }
    const groups = await client.groupExamplesWithRuns(datasetId, query)
    expect(groups.map(({ group_key, example_count }) => [group_key, example_count]).sort()).toEqual([
      ['0', 10],
      ['1', 10],
    ])
  })

  it('records one that ran elsewhere, and groups experiments by their metadata', async () => {
    const [dataset_name, experiment_name] = [aProjectName('made elsewhere'), aProjectName('run elsewhere')]
    const [start, end] = ['2025-03-02T09:00:00.000Z', '2025-03-02T09:00:02.000Z']
    const results = [0, 1].map((at) => ({
      inputs: { at },
      expected_outputs: { a: at },
      actual_outputs: { a: 1 },
      evaluation_scores: [{ key: 'right', score: at }],
      start_time: start,
      end_time: end,
    }))
    const { dataset, experiment } = await client.uploadExperiment({
      dataset_name,
      experiment_name,
      experiment_metadata: { model: 'small' },
      experiment_start_time: start,
      experiment_end_time: end,
      results,
    })
    expect(dataset).toMatchObject({ name: dataset_name, externally_managed: true, example_count: 2 })
    const rows = await collect(client.listExamplesWithRuns({ datasetId: dataset.id, experimentIds: [experiment.id] }))
    expect(rows.map(({ outputs, runs: [run] }) => [outputs, run!.outputs, run!.feedbacks[0]!.score])).toEqual(
      expect.arrayContaining([
        [{ a: 0 }, { a: 1 }, 0],
        [{ a: 1 }, { a: 1 }, 1],
      ]),
    )
    const groups = await client.groupExperiments(dataset.id, { metadata_keys: ['model'] })
    expect(groups).toMatchObject([
      { group_key: { model: 'small' }, session_count: 1, run_count: 2, feedback_stats: { right: { n: 2, avg: 0.5 } } },
    ])
    const columns = [{ column: 'feedback.right', precision: 2 }]
    const override = await client.createExperimentViewOverride(dataset.id, columns)
    expect(override).toMatchObject({ column_overrides: columns })
    await client.deleteExperimentViewOverride(dataset.id, override.id)
    expect(await client.listExperimentViewOverrides(dataset.id)).toEqual([])
  })

  it('lists and deletes comparisons', async () => {
    const { id: datasetId } = await client.createDataset(aProjectName('compared'))
    const project = await client.createProject({ projectName: aProjectName('one'), referenceDatasetId: datasetId })
    const { id } = await client.createComparativeExperiment({ name: 'alone', experimentIds: [project.id] })
    const listed = await collect(client.listComparativeExperiments({ datasetId, nameContains: 'alo' }))
    expect(listed).toMatchObject([{ id, name: 'alone', experiments_info: [{ id: project.id, name: project.name }] }])
    await client.deleteComparativeExperiment(id)
    expect(await collect(client.listComparativeExperiments({ datasetId }))).toEqual([])
    expect(await client.getComparisonUrl({ datasetId, experimentIds: [project.id] })).toBe(
      `${server.url}/o/${project.tenant_id}/datasets/${datasetId}/compare?selectedSessions=${project.id}`,
    )
  })
})
