import { contract, type ExperimentUpload, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { datasetFiles, datasets, examples, projects, runs, workspaces } = contract

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const TIMES = { start_time: '2026-02-03T04:05:06Z', end_time: '2026-02-03T04:05:08Z' }
const aName = () => `uploaded ${uuid7()}`

function anUpload(more: object = {}): z.input<typeof contract.datasetFiles.uploadExperiment.body> {
  return {
    experiment_name: aName(),
    experiment_start_time: TIMES.start_time,
    experiment_end_time: '2026-02-03T05:00:00Z',
    experiment_metadata: { model: 'm' },
    dataset_name: aName(),
    results: [
      {
        inputs: { q: 1 },
        expected_outputs: { a: 1 },
        actual_outputs: { a: 2 },
        evaluation_scores: [{ key: 'correct', score: 0, comment: 'no' }],
        ...TIMES,
        run_name: 'mine',
        run_metadata: { seed: 7 },
      },
      { inputs: { q: 2 }, error: 'it broke', evaluation_scores: [{ key: 'correct', score: true }], ...TIMES },
    ],
    summary_experiment_scores: [{ key: 'f1', score: 0.5 }],
    ...more,
  }
}

interface StartedWorkspace {
  call: StartedApp['call']
}

/** Another workspace of the same server. */
async function openWorkspace(): Promise<StartedWorkspace> {
  const { id } = (await app.call(workspaces.create, { body: { display_name: 'Elsewhere' } })).body
  const headers = { 'x-tenant-id': id }
  return { call: (route, input) => app.call(route, { ...input, headers }) }
}

const upload = (body: object) => app.call(datasetFiles.uploadExperiment, { body })
async function uploaded(body: object) {
  const answer = await upload(body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const examplesOf = async (dataset: string) =>
  (await app.call(examples.list, { query: { dataset, order: 'recently_created' } })).body
const runsOf = async (session: string) =>
  (await app.call(runs.query, { body: { session: [session], order: 'asc' } })).body.runs

describe('upload an experiment that ran elsewhere', () => {
  it('stores its dataset, its runs and their feedback', async () => {
    const body = anUpload()
    const { dataset, experiment } = await uploaded(body)
    expect(dataset).toMatchObject({
      name: body.dataset_name,
      externally_managed: true,
      example_count: 2,
      session_count: 1,
    })
    expect(experiment).toMatchObject({
      name: body.experiment_name,
      reference_dataset_id: dataset.id,
      start_time: '2026-02-03T04:05:06.000000Z',
      extra: { metadata: { model: 'm' } },
    })
    const rows = await examplesOf(dataset.id)
    expect(rows).toMatchObject([
      { inputs: { q: 1 }, outputs: { a: 1 } },
      { inputs: { q: 2 }, outputs: null },
    ])

    const recorded = await runsOf(experiment.id)
    expect(recorded.find(({ name }) => name === 'mine')).toMatchObject({
      reference_example_id: rows[0]!.id,
      inputs: { q: 1 },
      outputs: { a: 2 },
      status: 'success',
      extra: { metadata: { seed: 7 } },
      feedback_stats: { correct: { n: 1, avg: 0 } },
    })
    expect(recorded.find(({ name }) => name !== 'mine')).toMatchObject({
      reference_example_id: rows[1]!.id,
      status: 'error',
      error: 'it broke',
      feedback_stats: { correct: { n: 1, avg: 1 } },
    })
    const project = await app.call(projects.read, {
      params: { session_id: experiment.id },
      query: { include_stats: 'true' },
    })
    expect(project.body).toMatchObject({ run_count: 2, session_feedback_stats: { f1: { n: 1, avg: 0.5 } } })
  })

  it('matches the rows of the next upload by equal inputs', async () => {
    const first = await uploaded(anUpload())
    const results = [
      { inputs: { q: 1 }, expected_outputs: { a: 1 }, ...TIMES },
      { inputs: { q: 1 }, expected_outputs: { a: 1 }, ...TIMES }, // once more: a repetition
      { inputs: { q: 2 }, expected_outputs: { a: 2 }, ...TIMES }, // adds the missing output
      { inputs: { q: 3 }, ...TIMES },
    ]
    const second = await uploaded(anUpload({ dataset_name: undefined, dataset_id: first.dataset.id, results }))
    expect(second.dataset).toMatchObject({ id: first.dataset.id, example_count: 3, session_count: 2 })
    const rows = await examplesOf(first.dataset.id)
    const outputs = Object.fromEntries(rows.map((row) => [String(row.inputs.q), row.outputs]))
    expect(outputs).toEqual({ 1: { a: 1 }, 2: { a: 2 }, 3: null })
    const ofFirst = rows.find(({ inputs }) => inputs.q === 1)!.id
    const references = (await runsOf(second.experiment.id)).map((run) => run.reference_example_id)
    expect(references.filter((id) => id === ofFirst)).toHaveLength(2)
  })

  it('distinguishes rows that differ only in digits', async () => {
    const dataset_name = aName()
    const text = (n: string) =>
      JSON.stringify(anUpload({ dataset_name, results: [{ inputs: { n: 'N' }, ...TIMES }] })).replace('"N"', n)
    for (const n of ['9007199254740992', '9007199254740993', '9007199254740992']) {
      expect((await app.call(datasetFiles.uploadExperiment, { body: text(n) })).status).toBe(200)
    }
    const [dataset] = (await app.call(datasets.list, { query: { name: dataset_name } })).body
    expect(dataset!.example_count).toBe(2)
  })

  it('matches rows by their ids', async () => {
    const row_id = crypto.randomUUID()
    const results = (q: string) => [{ row_id, inputs: { q }, ...TIMES }]
    const { dataset } = await uploaded(anUpload({ results: results('before') }))
    await uploaded(anUpload({ dataset_name: dataset.name, results: results('after') }))
    expect(await examplesOf(dataset.id)).toMatchObject([{ id: row_id, inputs: { q: 'after' } }])
    const elsewhere = await upload(anUpload({ results: results('x') }))
    expect(elsewhere.status).toBe(409)
  })

  it('creates one example for concurrent uploads of a row', async () => {
    const { dataset } = await uploaded(anUpload({ results: [{ inputs: { q: 0 }, ...TIMES }] }))
    const results = [{ inputs: { q: 'both' }, ...TIMES }]
    await Promise.all([1, 2, 3].map(() => uploaded(anUpload({ dataset_name: dataset.name, results }))))
    expect(await examplesOf(dataset.id)).toHaveLength(2)
  })

  it('creates no version without changes', async () => {
    const { dataset } = await uploaded(anUpload())
    await uploaded(anUpload({ dataset_name: dataset.name }))
    const versions = await app.call(contract.datasetVersions.list, { params: { dataset_id: dataset.id } })
    expect(versions.body).toHaveLength(1)
  })

  it('keeps the digits of uploaded values', async () => {
    const text = JSON.stringify(
      anUpload({ results: [{ inputs: { n: 'BIG' }, actual_outputs: { n: 'BIG' }, ...TIMES }] }),
    )
    const answer = await app.call(datasetFiles.uploadExperiment, {
      body: text.replaceAll('"BIG"', '12345678901234567890'),
    })
    expect(answer.status, answer.text).toBe(200)
    const listed = await app.call(examples.list, { query: { dataset: answer.body.dataset.id } })
    expect(listed.text).toContain('12345678901234567890')
    const run = await app.call(runs.query, { body: { session: [answer.body.experiment.id] } })
    expect(run.text).toContain('"outputs":{"n":12345678901234567890}')
  })

  it('rejects datasets that are managed by this server', async () => {
    const own = (await app.call(datasets.create, { body: { name: aName() } })).body
    for (const named of [{ dataset_name: own.name }, { dataset_id: own.id }]) {
      const answer = await upload(anUpload(named))
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('managed by this server')])
    }
  })

  describe('with an unknown dataset id', () => {
    let elsewhere: StartedWorkspace
    beforeAll(async () => {
      elsewhere = await openWorkspace()
    })

    it('responds to the id of another workspace like to an unknown id', async () => {
      const theirs = (await elsewhere.call(datasets.create, { body: { name: aName() } })).body.id
      for (const asked of [theirs, uuid7()]) {
        const { dataset } = await uploaded(anUpload({ dataset_id: asked }))
        expect(dataset).toMatchObject({ externally_managed: true, example_count: 2 })
        expect(dataset.id).not.toBe(asked)
      }
      const read = await elsewhere.call(datasets.read, { params: { dataset_id: theirs } })
      expect(read.body).toMatchObject({ id: theirs, example_count: 0, session_count: 0 })
    })

    it('finds the dataset of an earlier upload by the id of its request', async () => {
      const dataset_id = uuid7()
      const first = await uploaded(anUpload({ dataset_id }))
      const second = await uploaded(anUpload({ dataset_id }))
      expect(second.dataset).toMatchObject({ id: first.dataset.id, session_count: 2 })
    })
  })

  it('stores nothing when the name of the experiment is taken', async () => {
    const first = anUpload()
    await uploaded(first)
    const again = anUpload({ experiment_name: first.experiment_name })
    expect((await upload(again)).status).toBe(409)
    expect((await app.call(datasets.list, { query: { name: again.dataset_name! } })).body).toEqual([])
  })

  it('deletes the experiment when its runs cannot be stored', async () => {
    const body = anUpload({
      results: [{ inputs: { q: 1 }, start_time: '1600-01-01T00:00:00Z', end_time: TIMES.end_time }],
    })
    expect((await upload(body)).status).toBe(400)
    expect((await app.call(projects.list, { query: { name: body.experiment_name } })).body).toEqual([])
  })

  it.each<[string, Partial<Record<keyof ExperimentUpload, unknown>>]>([
    ['no dataset', { dataset_name: undefined }],
    ['no results', { results: undefined }],
    ['a result without inputs', { results: [{ ...TIMES }] }],
    ['a score without a key', { results: [{ inputs: {}, ...TIMES, evaluation_scores: [{ score: 1 }] }] }],
  ])('refuses %s', async (_, more) => {
    expect((await upload(anUpload(more))).status).toBe(400)
  })
})
