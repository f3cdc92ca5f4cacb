import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { isFull } from '../support/scale.ts'
import { startServer } from '../support/start-server.ts'

const RUNS = 60
const CONCURRENCY = 5
const KEY = 'sk-judging-secret-0123456789'

describe.runIf(isFull)('a server that is killed while it judges an experiment', () => {
  let dataDir: string
  let fake: FakeProvider
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-judging-'))
    fake = await startFakeProvider({ key: KEY })
  })
  afterAll(async () => {
    await fake.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const start = async () => {
    const server = await startServer({ dataDir })
    const client = new Client({ apiUrl: server.url })
    const reach = async (id: string, done: number) => {
      const read = async () => (await client.readEvaluatorJob(id)).done
      await expect.poll(read, { timeout: 120_000, interval: 50 }).toBeGreaterThanOrEqual(done)
    }
    return { server, client, reach }
  }

  it('repeats no finished judgement, and scores each run once', { timeout: 400_000 }, async () => {
    const first = await start()
    const connection = { name: 'Fake', kind: 'openai-chat', base_url: fake.url, key: KEY, provider: 'fake' } as const
    const provider = await first.client.createModelProvider(connection)
    const { id: dataset } = await first.client.createDataset('rows')
    const rows = Array.from({ length: RUNS }, (_, n) => ({
      dataset_id: dataset,
      inputs: { question: `question ${n}` },
    }))
    const examples = await first.client.createExamples(rows)
    const experiment = await first.client.createProject({ projectName: 'answers', referenceDatasetId: dataset })
    for (const { id, inputs } of examples) {
      await first.client.createRun({
        name: 'answer',
        run_type: 'chain',
        project_name: 'answers',
        reference_example_id: id,
        start_time: Date.now(),
        end_time: Date.now() + 1,
        inputs,
        outputs: { answer: 'an answer' },
      })
    }
    await first.client.flush()
    const evaluator = await first.client.createSavedEvaluator({
      name: 'Correct',
      definition: {
        kind: 'llm_judge',
        provider_id: provider.id,
        model: 'fake-script-slow',
        messages: [
          { role: 'user', content: '{{question}} <<<{"correct":{"reasoning":"It is {{question}}.","value":true}}>>>' },
        ],
        mapping: { question: 'inputs.question' },
        feedback: [{ key: 'correct', type: 'boolean' }],
      },
    })
    const body = { evaluator_id: evaluator.id, experiment_ids: [experiment.id], concurrency: CONCURRENCY }
    const { id } = await first.client.createEvaluatorJob(body)
    await first.reach(id, 20)
    await first.server.kill()

    const last = await start()
    const job = await last.client.waitForEvaluatorJob(id)
    expect(job).toMatchObject({ state: 'COMPLETED', total: RUNS, done: RUNS, failed: 0, failures: [] })
    const reasons = new Map<string, number>()
    const runIds: string[] = []
    for await (const run of last.client.listRuns({ projectId: experiment.id, isRoot: true })) runIds.push(run.id)
    expect(runIds).toHaveLength(RUNS)
    for await (const { comment, score, feedback_source } of last.client.listFeedback({ runIds })) {
      expect([score, feedback_source?.type]).toEqual([1, 'model'])
      reasons.set(String(comment), (reasons.get(String(comment)) ?? 0) + 1)
    }
    expect(reasons.size).toBe(RUNS)
    expect(Math.max(...reasons.values())).toBe(1)
    // Only judgements under way at a kill were made again.
    expect(fake.heard.length).toBeLessThanOrEqual(RUNS + CONCURRENCY)
    for (const { server } of [first, last]) expect(server.output()).not.toContain(KEY)
    await last.server.stop()
  })
})
