import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { RunnableLambda } from '@langchain/core/runnables'
import { Client } from '@touchstone/sdk'
import {
  type EvaluateOptions,
  type EvaluatorArgs,
  embeddingDistance,
  evaluate,
  exactMatch,
  llmAsJudge,
} from '@touchstone/sdk/evaluation'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../clients/javascript/a-client.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'
import { type JudgingModel, startJudgingModel } from './judging-model.ts'

let server: SharedServer
let model: JudgingModel
let client: Client
beforeAll(async () => {
  model = await startJudgingModel()
  server = await shareServer()
  client = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: 'any' })
})
afterAll(async () => {
  await server?.stop()
  await model?.close()
})

/** Numbers from 1 with their doubles. */
async function aDataset(size: number) {
  const dataset = await client.createDataset(aProjectName('doubles'))
  await client.createExamples(
    Array.from({ length: size }, (_, at) => ({
      dataset_id: dataset.id,
      inputs: { n: at + 1 },
      outputs: { double: (at + 1) * 2 },
    })),
  )
  return dataset
}

const double = async ({ n }: { n: number }) => ({ double: n * 2 })
function right({ outputs, referenceOutputs }: EvaluatorArgs) {
  return { score: outputs?.double === referenceOutputs.double }
}
const on = (data: string, more: Partial<EvaluateOptions> = {}): EvaluateOptions => ({
  data,
  client,
  progress: false,
  maxConcurrency: 8,
  evaluators: [right],
  ...more,
})

describe('an experiment whose program is killed', () => {
  it('goes on in another, and each example has run to its end exactly once', async () => {
    const dataset = await aDataset(60)
    const prefix = aProjectName('killed')
    const done = await killedAfter(20, [`${server.url}/api/v1`, dataset.name, prefix])
    const [experiment] = await collect(client.listProjects({ nameContains: prefix }))
    const finished = await finishedIn(experiment!.id)
    expect(finished.size).toBeGreaterThan(0)
    expect(finished.size).toBeLessThanOrEqual(done.length)

    const ran: number[] = []
    const target = async (inputs: { n: number }) => {
      ran.push(inputs.n)
      return await double(inputs)
    }
    const results = await evaluate(target, {
      ...on(dataset.name),
      experiment: experiment!.name,
      resume: true,
      evaluators: [right, exactMatch()],
    })

    expect(ran.filter((n) => finished.has(n))).toEqual([])
    expect(ran.length + finished.size).toBe(60)
    expect(results.results.map(({ evaluationResults }) => evaluationResults.results.length)).toEqual(Array(60).fill(2))
    const runs = await collect(client.listRuns({ projectId: experiment!.id, isRoot: true }))
    expect(runs.filter((run) => run.end_time)).toHaveLength(60)
    const { feedback_stats } = await client.readProject({ projectId: experiment!.id, includeStats: true })
    expect(feedback_stats).toMatchObject({ right: { n: 60, avg: 1 }, exact_match: { n: 60, avg: 1 } })

    const again = await evaluate(target, { ...on(dataset.name), experiment: experiment!.name, resume: true })
    expect(ran.length + finished.size).toBe(60)
    expect(again.results).toHaveLength(60)
  })
})

describe('the gate', () => {
  it('holds an experiment against the statistics of the server', async () => {
    const dataset = await aDataset(40)
    const good = await evaluate(double, on(dataset.name))
    const broken = async ({ n }: { n: number }) => ({ double: n % 2 === 0 ? n : n * 2 })
    const run = (target: typeof double, failIf: string[]) =>
      evaluate(target, on(dataset.name, { baseline: good.experimentName, failIf }))

    const failed = await run(broken, ['right.verdict=worse', 'right.mean<0.4', 'right.losses>10']).catch(
      (error) => error,
    )
    expect(failed.failures).toEqual([
      { condition: 'right.verdict=worse', actual: 'worse', message: 'right.verdict=worse: it is worse' },
      { condition: 'right.losses>10', actual: 20, message: 'right.losses>10: it is 20' },
    ])
    const passes = ['right.verdict=worse', 'right.difference<0', 'right.pairs!=40', 'error_rate>0', 'right.n<40']
    await expect(run(double, passes)).resolves.toMatchObject({ length: 40 })
  })
})

describe('a chain of LangChain', () => {
  it('is evaluated as it is, with its steps below the run', async () => {
    const dataset = await aDataset(2)
    const chain = RunnableLambda.from(async ({ n }: { n: number }) => n * 2)
      .withConfig({ runName: 'double' })
      .pipe(RunnableLambda.from((double: number) => ({ double })).withConfig({ runName: 'wrap' }))

    const { results, experimentId } = await evaluate(chain, on(dataset.name))

    expect(results.map(({ evaluationResults }) => evaluationResults.results[0]?.score)).toEqual([true, true])
    const runs = await collect(client.listRuns({ projectId: experimentId }))
    const names = runs.map(({ name, parent_run_id }) => `${name}${parent_run_id ? '' : ' (root)'}`)
    const one = ['RunnableSequence', 'RunnableSequence (root)', 'double', 'wrap']
    expect(names.sort()).toEqual([...one, ...one].sort())
  })
})

describe('judges that ask a model', () => {
  it('leave the whole conversation, its tokens and its cost behind the score', async () => {
    const dataset = await aDataset(3)
    const provider = { model: 'gpt-4.1-mini', baseUrl: model.url, apiKey: 'secret' }

    const results = await evaluate(
      double,
      on(dataset.name, { evaluators: [llmAsJudge(provider), embeddingDistance({ ...provider, key: 'near' })] }),
    )

    const keys = results.results[0]!.evaluationResults.results.map(({ key, score }) => [key, score])
    expect(keys).toEqual([
      ['correctness', 1],
      ['near', expect.closeTo(0.6, 6)],
    ])
    const [correctness] = await collect(
      client.listFeedback({ runIds: [results.results[0]!.run.id], feedbackKeys: ['correctness'] }),
    )
    expect(correctness).toMatchObject({ score: 1, comment: 'They say the same.' })
    const judged = await client.readRun(correctness!.feedback_source!.metadata!.__run.run_id, { loadChildRuns: true })
    expect(judged).toMatchObject({ name: 'correctness', total_tokens: 30, outputs: { key: 'correctness', score: 1 } })
    const [asked] = judged.child_runs!
    expect(asked).toMatchObject({ name: 'gpt-4.1-mini', run_type: 'llm', prompt_tokens: 20, completion_tokens: 10 })
    expect(asked!.inputs.messages[0].content).toContain('Rubric:')
    expect(asked!.outputs).toMatchObject({ verdict: { reasoning: 'They say the same.', score: true } })
    expect(Number(judged.total_cost)).toBeCloseTo(20 * 0.4e-6 + 10 * 1.6e-6, 12)
    expect(JSON.stringify(judged)).not.toContain('secret')
  })
})

/** Numbers whose runs have ended, once what was on its way when the program died has arrived. */
async function finishedIn(projectId: string): Promise<Set<number>> {
  let finished = new Set<number>()
  const hasSettled = async () => {
    const runs = await collect(client.listRuns({ projectId, isRoot: true }))
    const before = finished.size
    finished = new Set(runs.filter((run) => run.end_time).map((run) => run.inputs.n))
    return finished.size > 0 && finished.size === before
  }
  await expect.poll(hasSettled, { interval: 1000, timeout: 30_000 }).toBe(true)
  return finished
}

/** Starts the slow experiment and kills it (SIGKILL) once so many targets are done; which they were. */
function killedAfter(count: number, args: readonly string[]): Promise<number[]> {
  const program = fileURLToPath(new URL('slow-experiment.ts', import.meta.url))
  const flags = ['--conditions=touchstone:source', '--import=tsx', program]
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const done: number[] = []
  child.stdout.on('data', (text: Buffer) => {
    done.push(...`${text}`.trim().split('\n').map(Number))
    if (done.length >= count) child.kill('SIGKILL')
  })
  return new Promise((resolve) => child.once('exit', () => resolve(done)))
}
