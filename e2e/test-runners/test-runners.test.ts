import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../clients/javascript/a-client.ts'
import { isFull } from '../support/scale.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'
import { aConsumer, type Consumer } from './consumer.ts'

let server: SharedServer
let consumer: Consumer
beforeAll(async () => {
  consumer = aConsumer()
  server = await shareServer()
})
afterAll(async () => {
  await server?.stop()
  consumer?.remove()
})

/** The stored results of a suite, for any client. */
async function recordedUnder(name: string) {
  const client = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: 'any' })
  const dataset = await client.readDataset({ datasetName: name })
  const examples = await collect(client.listExamples({ datasetId: dataset.id }))
  const experiments = await collect(client.listProjects({ referenceDatasetId: dataset.id }))
  const rows = await collect(
    client.listExamplesWithRuns({ datasetId: dataset.id, experimentIds: [experiments[0]!.id] }),
  )
  const tags = await collect(client.listDatasetVersions({ datasetId: dataset.id }))
  const runs = rows.flatMap(({ inputs, runs }) => runs.map((run) => ({ country: inputs.country as string, ...run })))
  return { dataset, examples, experiments, runs, tags: tags.flatMap((version) => version.tags ?? []) }
}

const suites = [
  ['vitest', 'our', '@touchstone/sdk/vitest', '@touchstone/sdk/vitest/reporter'],
  ['jest', 'our', '@touchstone/sdk/jest', '@touchstone/sdk/jest/reporter'],
  ['vitest', 'the public', 'langsmith/vitest', 'langsmith/vitest/reporter'],
  ['jest', 'the public', 'langsmith/jest', 'langsmith/jest/reporter'],
] as const

describe.each(suites)('a suite in %s with %s integration', (runner, whose, entry, reporter) => {
  const name = aProjectName(`capitals-${runner}`)
  const runSuite = (more: Record<string, string> = {}) =>
    consumer.run(runner, {
      SUITE_ENTRY: entry,
      SUITE_NAME: name,
      SUITE_FILE: 'capitals.suite.mjs',
      SUITE_REPORTER: reporter,
      ...(entry === 'langsmith/vitest' && { SUITE_EXPECT: 'vitest' }),
      LANGSMITH_ENDPOINT: `${server.url}/api/v1`,
      LANGSMITH_API_KEY: 'any',
      LANGSMITH_TRACING: 'true',
      ...more,
    })

  it('becomes a dataset and an experiment, with the verdict on every test', async () => {
    const { code, output } = await runSuite()

    expect(code, output).toBe(1)
    const { dataset, examples, experiments, runs } = await recordedUnder(name)
    expect(dataset.metadata).toMatchObject({ __ls_runner: runner })
    expect(examples.map(({ inputs }) => inputs.country).sort()).toEqual(['Atlantis', 'Chad', 'France', 'Mali', 'Peru'])
    const france = examples.find(({ inputs }) => inputs.country === 'France')
    expect(france).toMatchObject({ outputs: { capital: 'Paris' }, metadata: { level: 1, dataset_split: ['easy'] } })
    expect(experiments).toHaveLength(1)

    const summaries = runs.map(({ country, outputs, feedback_stats, error }) => ({
      country,
      outputs,
      failed: error != null,
      scores: Object.fromEntries(Object.entries(feedback_stats ?? {}).map(([key, { avg }]) => [key, avg])),
    }))
    expect(summaries.sort((a, b) => (a.country < b.country ? -1 : 1))).toEqual([
      { country: 'Atlantis', outputs: { capital: 'none' }, failed: true, scores: { pass: 0 } },
      { country: 'Chad', outputs: { capital: "N'Djamena" }, failed: false, scores: { pass: 1, correct: 1 } },
      { country: 'France', outputs: { capital: 'Paris' }, failed: false, scores: { pass: 1, correct: 1, length: 5 } },
      { country: 'Mali', outputs: { result: 'Bamako' }, failed: false, scores: { pass: 1 } },
      { country: 'Mali', outputs: { result: 'Bamako' }, failed: false, scores: { pass: 1 } },
      { country: 'Peru', outputs: { capital: 'Lima' }, failed: false, scores: { pass: 1, correct: 1 } },
    ])
    const host = whose === 'our' ? server.url : 'http://localhost:3000'
    const link = `${host}/o/${dataset.tenant_id}/datasets/${dataset.id}/compare?selectedSessions=${experiments[0]!.id}`
    expect(output).toContain(link)
    for (const word of ['knows France', 'knows more, item 1', 'correct', 'length']) expect(output).toContain(word)
  })

  it('finds its examples again, and judges beside them', async () => {
    const before = await recordedUnder(name)
    await runSuite()
    const { examples, experiments } = await recordedUnder(name)
    expect(examples).toEqual(before.examples)
    expect(experiments).toHaveLength(2)

    const client = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: 'any' })
    const judged = await collect(client.listRuns({ projectName: 'evaluators', isRoot: true }))
    const ids = examples.map(({ id }) => id)
    expect(judged.filter((run) => ids.includes(run.reference_example_id ?? ''))).toHaveLength(6)
  })

  // Of the public integration, this is about its own switch.
  it.runIf(whose === 'our' || isFull)('leaves no trace when that is not wanted', async () => {
    const { code } = await runSuite({ LANGSMITH_TEST_TRACKING: 'false' })
    expect(code).toBe(1)
    expect((await recordedUnder(name)).experiments).toHaveLength(2)
  })
})

describe.each(suites.slice(0, 2))('tests at the same time in %s with %s integration', (runner, _, entry, reporter) => {
  it('keep their outputs and scores apart, and what is left out leaves nothing', async () => {
    const name = aProjectName(`concurrent-${runner}`)
    const { code, output } = await consumer.run(runner, {
      SUITE_ENTRY: entry,
      SUITE_NAME: name,
      SUITE_FILE: 'concurrent.suite.mjs',
      SUITE_REPORTER: reporter,
      TOUCHSTONE_ENDPOINT: server.url,
      TOUCHSTONE_TRACING: 'true',
    })

    expect(code, output).toBe(0)
    const { runs } = await recordedUnder(name)
    const summaries = runs.map(({ inputs, outputs, feedback_stats }) => [
      inputs.n,
      outputs?.n,
      feedback_stats?.n?.avg,
      feedback_stats?.itself?.avg,
    ])
    expect(summaries.sort()).toEqual([0, 1, 2, 3, 4].map((n) => [n, n, n, n]))
    const client = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: 'any' })
    expect(await client.hasDataset({ datasetName: `${name} never` })).toBe(false)
  })
})
