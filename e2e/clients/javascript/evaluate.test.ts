import { Client, type KVMap } from '@touchstone/sdk'
import * as own from '@touchstone/sdk/evaluation'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, aProjectName, collect } from './a-client.ts'
import { PUBLIC_LIBRARIES, type PublicLibrary } from './public-libraries.ts'

let server: SharedServer
let reader: Client
beforeAll(async () => {
  server = await shareServer()
  reader = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: 'any' })
})
afterAll(() => server?.stop())

type Libraries = { client: () => ReturnType<typeof aClient>; library: PublicLibrary['evaluation']; host: () => string }
const libraries: [string, Libraries][] = [
  ...PUBLIC_LIBRARIES.map(({ version, Client, evaluation }): [string, Libraries] => [
    `public ${version}`,
    { client: () => aClient(server.url, {}, Client), library: evaluation, host: () => 'http://localhost:3000' },
  ]),
  [
    'own',
    {
      client: () => new Client({ apiUrl: `${server.url}/api/v1`, apiKey: 'any' }) as never,
      library: own as never,
      host: () => server.url,
    },
  ],
]

const CAPITALS = { France: 'Paris', Peru: 'Lima', Chad: "N'Djamena" } as Record<string, string>

async function aDataset(client: ReturnType<typeof aClient>) {
  const dataset = await client.createDataset(aProjectName('capitals'))
  await client.createExamples(
    Object.entries(CAPITALS).map(([country, capital]) => ({
      inputs: { country },
      outputs: { capital },
      dataset_id: dataset.id,
    })),
  )
  return dataset
}

async function lookUp({ country }: { country: string }) {
  if (country === 'Chad') throw new Error('no such country')
  return { capital: CAPITALS[country] }
}
const unsure = async ({ country }: { country: string }) => ({ capital: country === 'Peru' ? 'Lima' : 'Berlin' })
const correct = ({ outputs, referenceOutputs }: KVMap) => ({
  key: 'correct',
  score: outputs?.capital === referenceOutputs?.capital,
})
const third = () => [
  { key: 'third', score: 1 / 3 },
  { key: 'label', value: 'x', comment: 'seen' },
]
const accuracy = ({ outputs, referenceOutputs = [] }: { outputs: KVMap[]; referenceOutputs?: KVMap[] }) => ({
  key: 'accuracy',
  score: outputs.filter((output, at) => output?.capital === referenceOutputs[at]?.capital).length / outputs.length,
})

/** Console output of a client while it works. */
async function listening<Result>(task: () => Promise<Result>) {
  const spies = (['log', 'error'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}))
  try {
    const result = await task()
    return { result, said: spies.flatMap((spy) => spy.mock.calls.map((call) => call.join(' '))).join('\n') }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

type Row = {
  run: { id: string; outputs?: unknown }
  example: { id: string }
  evaluationResults: { results: { key: string; score?: unknown }[] }
}
const rounded = (score: unknown) => (score == null ? null : Number(Number(score).toFixed(4)))
const local = (rows: Row[]) =>
  rows
    .map(({ run, example, evaluationResults }) => ({
      run: run.id,
      example: example.id,
      outputs: run.outputs ?? null,
      scores: Object.fromEntries(evaluationResults.results.map(({ key, score }) => [key, rounded(score)])),
    }))
    .sort((a, b) => (a.run < b.run ? -1 : 1))

async function stored(datasetId: string, experimentId: string) {
  const examples = await collect(reader.listExamplesWithRuns({ datasetId, experimentIds: [experimentId] }))
  return examples
    .flatMap(({ id, runs }) =>
      runs.map((run) => ({
        run: run.id,
        example: id,
        outputs: run.outputs ?? null,
        scores: Object.fromEntries(Object.entries(run.feedback_stats ?? {}).map(([key, { avg }]) => [key, avg])),
      })),
    )
    .sort((a, b) => (a.run < b.run ? -1 : 1))
}

describe.each(libraries)('experiments of the %s JavaScript client', (whose, { client: connect, library, host }) => {
  it('are read back as they were computed', async () => {
    const client = connect()
    const dataset = await aDataset(client)

    const { result, said } = await listening(() =>
      library.evaluate(lookUp, {
        data: dataset.name,
        evaluators: [correct, third] as never,
        summaryEvaluators: [accuracy] as never,
        experimentPrefix: 'first',
        metadata: { model: 'm1' },
        description: 'the first',
        numRepetitions: 2,
        maxConcurrency: 2,
        client,
      }),
    )

    expect(result.results).toHaveLength(6)
    expect(result.summaryResults.results).toMatchObject([{ key: 'accuracy', score: 2 / 3 }])
    const experiment = await reader.readProject({ projectName: result.experimentName, includeStats: true })
    expect(await stored(dataset.id, experiment.id)).toEqual(local(result.results as never))
    expect(experiment).toMatchObject({
      reference_dataset_id: dataset.id,
      run_count: 6,
      test_run_number: 1,
      extra: {
        metadata: { model: 'm1', num_repetitions: 2, dataset_splits: ['base'], dataset_version: expect.any(String) },
      },
      session_feedback_stats: { accuracy: { n: 1, avg: 0.6667 } },
      feedback_stats: { correct: { n: 6 }, third: { n: 6, avg: 0.3333 }, label: { n: 6, values: { x: 6 } } },
    })
    const filter = `eq(reference_dataset_id, "${dataset.id}")`
    const onExamples = await collect(reader.listRuns({ projectId: experiment.id, filter }))
    expect(onExamples.map(({ id }) => id).sort()).toEqual((result.results as Row[]).map(({ run }) => run.id).sort())
    expect(await reader.readRun(onExamples[0]!.id)).toMatchObject({ reference_dataset_id: dataset.id })
    expect(experiment.error_rate).toBeCloseTo(1 / 3, 6)
    expect(experiment.feedback_stats?.correct?.avg).toBeCloseTo(2 / 3, 6)
    const link = `/o/${experiment.tenant_id}/datasets/${dataset.id}/compare?selectedSessions=${experiment.id}`
    expect(said).toContain(`Starting evaluation of experiment: ${result.experimentName}`)
    expect(said).toContain(`View results at ${host()}${link}`)
    if (whose === 'own') expect(experiment.description).toBe('the first')

    const judged = await collect(
      reader.listRuns({ projectName: 'evaluators', isRoot: true, filter: 'eq(name, "correct")' }),
    )
    const examples = new Set((result.results as Row[]).map(({ example }) => example.id))
    if (whose === 'own') expect(judged.filter((run) => examples.has(run.reference_example_id ?? ''))).toHaveLength(6)
  })

  it('hand the files of examples to the target', async () => {
    const client = connect()
    const dataset = await client.createDataset(aProjectName('files'))
    await client.createExamples([
      {
        dataset_id: dataset.id,
        inputs: { n: 1 },
        outputs: { text: 'à la carte' },
        attachments: { menu: ['text/plain', new TextEncoder().encode('à la carte')] },
      },
    ])
    const read = async (_: KVMap, config: KVMap = {}) => {
      const { presigned_url, mime_type } = config.attachments.menu
      return { text: await (await fetch(presigned_url)).text(), mime_type }
    }
    const seen: unknown[] = []
    const look = ({ attachments }: KVMap) => ({ key: 'seen', score: seen.push(Object.keys(attachments)) })

    const { result } = await listening(() =>
      library.evaluate(read as never, {
        data: dataset.name,
        client,
        includeAttachments: true,
        evaluators: [look] as never,
      }),
    )

    expect(result.results[0]!.run.outputs).toEqual({ text: 'à la carte', mime_type: 'text/plain' })
    expect(seen).toEqual([['menu']])
  })

  it('can be added to', async () => {
    const client = connect()
    const dataset = await aDataset(client)
    const first = await listening(() => library.evaluate(unsure, { data: dataset.name, client }))
    const experiment = await client.readProject({ projectName: first.result.experimentName })

    await listening(() => library.evaluate(unsure, { data: dataset.name, client, experiment } as never))

    expect(await stored(dataset.id, experiment.id)).toHaveLength(6)
  })

  it('are compared with each other', async () => {
    const client = connect()
    const dataset = await aDataset(client)
    const options = { data: dataset.name, client, evaluators: [correct] as never }
    const first = (await listening(() => library.evaluate(lookUp, { ...options, experimentPrefix: 'a' }))).result
    const second = (await listening(() => library.evaluate(unsure, { ...options, experimentPrefix: 'b' }))).result
    const prefer = ({ runs, outputs, referenceOutputs }: KVMap) => ({
      key: 'preferred',
      scores: Object.fromEntries(
        runs.map((run: { id: string }, at: number) => [
          run.id,
          outputs[at]?.capital === referenceOutputs.capital ? 1 : 0,
        ]),
      ),
    })

    vi.stubEnv('LANGSMITH_TRACING', 'false')
    const { result, said } = await listening(() =>
      library.evaluate([first.experimentName, second.experimentName], { client, evaluators: [prefer] as never }),
    )
    vi.unstubAllEnvs()

    const [pair] = await collect(reader.listComparativeExperiments({ datasetId: dataset.id }))
    expect(pair).toMatchObject({ id: result.comparativeExperiment.id, name: result.experimentName })
    expect(said).toContain(`Starting pairwise evaluation of: ${result.experimentName}`)
    expect(new URL(result.url!).searchParams.get('comparativeExperiment')).toBe(pair!.id)
    const averages = Object.values(pair!.feedback_stats?.preferred ?? {}).map(({ n, avg }) => [n, avg])
    expect(averages.sort()).toEqual([
      [3, expect.closeTo(1 / 3, 3)],
      [3, expect.closeTo(2 / 3, 3)],
    ])
    const experiment = await reader.readProject({ projectName: first.experimentName, includeStats: true })
    expect(Object.keys(experiment.feedback_stats ?? {})).toEqual(['correct'])
  })
})
