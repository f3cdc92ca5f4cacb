// Compiled against the built declarations, as a user's project would, in both module systems and without skipLibCheck.
import {
  type AnnotationQueue,
  Client,
  configureGlobalPromptCache,
  type Dataset,
  type Example,
  NotFoundError,
  type Prompt,
  type PromptCommit,
  type Run,
  RunTree,
  uuid7,
} from '@touchstone/sdk'
import { type CallsOf, clientOf, ProjectCalls, RunCalls } from '@touchstone/sdk/api'
import { type ClientConfig, DEFAULT_MAX_SIZE_BYTES } from '@touchstone/sdk/client'
import {
  type EvaluationResult,
  type EvaluatorT,
  evaluate,
  exactMatch,
  jsonMatch,
  llmAsJudge,
  StringEvaluator,
} from '@touchstone/sdk/evaluation'
import { formatPrompt, toAnthropic, toOpenAI } from '@touchstone/sdk/prompts'
import { convertToDottedOrderFormat, isRunTree, type RunTreeConfig } from '@touchstone/sdk/run_trees'
import type { TracerSession } from '@touchstone/sdk/schemas'
import { AsyncLocalStorageProviderSingleton } from '@touchstone/sdk/singletons/traceable'
import {
  getCurrentRunTree,
  ROOT,
  type TraceableConfig,
  type TraceableFunction,
  traceable,
  withRunTree,
} from '@touchstone/sdk/traceable'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>() => {}

/** A function of a user that takes or returns a client of some nouns can name its type. */
export function createReader(): CallsOf<[typeof ProjectCalls, typeof RunCalls]> {
  return clientOf({ apiUrl: 'http://localhost:3000/api/v1' }, ProjectCalls, RunCalls)
}

export async function useEverything() {
  const config: ClientConfig = { apiUrl: 'http://localhost:3000/api/v1', callerOptions: { maxRetries: 2 } }
  const client = new Client(config)
  const project: TracerSession = await client.createProject({ projectName: 'p' })
  for await (const run of client.listRuns({ projectId: project.id })) {
    const one: Run = run
    one.outputs?.answer.toUpperCase()
    one.inputs.question.toUpperCase()
  }
  const dataset: Dataset = await client.createDataset('d', { inputsSchema: { type: 'object' } })
  const photo: [string, Uint8Array] = ['image/png', new Uint8Array(1)]
  const row = { dataset_id: dataset.id, inputs: { q: 1 }, split: 'train', attachments: { photo } }
  const created: Example = await client.createExample(row)
  await client.createExample({ q: 1 }, { a: 2 }, { datasetId: dataset.id })
  await client.createExamples([row], { onProgress: ({ uploaded }) => uploaded.toFixed() })
  await client.createExamples({ inputs: [{ q: 1 }], outputs: [{ a: 1 }], datasetName: 'd' })
  for await (const example of client.listExamples({ datasetId: dataset.id, asOf: new Date() })) {
    example.outputs?.answer.toUpperCase()
    example.attachments?.photo?.presigned_url.toUpperCase()
  }
  await client.updateExample({ id: created.id, attachments_operations: { retain: ['photo'] } })
  await client.readRun(uuid7(), {}, { signal: AbortSignal.timeout(1) }).catch((error) => error instanceof NotFoundError)

  for await (const queue of client.listAnnotationQueues({ nameContains: 'q', limit: 5 })) {
    const one: AnnotationQueue = queue
    await client.addRunsToAnnotationQueue(one.id, [{ runId: uuid7(), sessionId: project.id, startTime: Date.now() }])
    const run = await client.getRunFromAnnotationQueue(one.id, 0)
    await client.reviewRunOfAnnotationQueue(run.queue_run_id, { status: 'completed' })
  }

  configureGlobalPromptCache({ maxSize: 10, ttlSeconds: null })
  const url: string = await client.pushPrompt('joke', { object: { lc: 1 }, commitTags: ['v1'], isPublic: false })
  url.toUpperCase()
  const prompt: Prompt | null = await client.getPrompt('joke')
  prompt?.full_name.toUpperCase()
  const commit: PromptCommit = await client.pullPromptCommit('joke:v1', { includeModel: true })
  commit.manifest.kwargs.messages
  toOpenAI(commit, { topic: 'cats' }).messages.length.toFixed()
  toAnthropic(commit.manifest).system?.toUpperCase()
  formatPrompt(commit).messages[0]?.role.toUpperCase()
  const agent = await client.pullAgent('helper')
  if (agent.files.a?.type === 'file') agent.files.a.content.toUpperCase()
  // @ts-expect-error a file has content
  await client.pushSkill('helper', { files: { a: { type: 'file' } } })

  const one = traceable(async (question: string) => question.length, {
    name: 'one',
    processInputs: ({ input }) => ({ input: input.trim() }),
  })
  holds<Equal<ReturnType<typeof one>, Promise<number>>>()
  holds<Equal<Parameters<typeof one>, [question: string]>>()
  await one('a')
  await one(ROOT, 'a')
  await one(new RunTree({ name: 'parent' }), 'a')
  // @ts-expect-error the argument is a text
  await one(1)

  const sync = traceable((a: number, b: number) => a + b, { processInputs: ({ args: [a, b] }) => ({ a, b }) })
  holds<Equal<ReturnType<typeof sync>, Promise<number>>>()
  const object = traceable(({ q }: { q: string }) => ({ q }), { processInputs: ({ q }) => ({ q: q.trim() }) })
  holds<Equal<ReturnType<typeof object>, Promise<{ q: string }>>>()
  const stream = traceable(async function* (n: number) {
    yield n
  })
  for await (const n of stream(1)) n.toFixed()
  const generator = traceable(function* (n: number) {
    yield n
  })
  for (const n of generator(1)) n.toFixed()
  for (const n of await generator(1)) n.toFixed()
  const web = traceable(() => new ReadableStream<string>())
  web().getReader()
  const own = traceable(async (run: RunTree, q: string) => run.createChild({ name: q }))
  await own(ROOT, 'q')
  await own('q')

  function overloaded(a: string): string
  function overloaded(a: number, b: number): number
  function overloaded(a: string | number, _b?: number) {
    return a
  }
  const both = traceable(overloaded)
  holds<Equal<Awaited<ReturnType<typeof both>>, number>>()
  const text: string = await both('a')
  const number: number = await both(1, 2)

  const shared: TraceableConfig = { client, tags: ['t'], processInputs: (inputs) => inputs }
  const withShared = traceable(async (a: string) => a, shared)
  const kept: TraceableFunction<(a: string) => Promise<string>> = withShared
  const withExtra = traceable(Object.assign(() => 1, { extra: 'x' }))
  withExtra.extra.toUpperCase()

  const treeConfig: RunTreeConfig = { name: 'a' }
  const tree = new RunTree(treeConfig)
  await withRunTree(tree, async () => getCurrentRunTree().addEvent('x'))
  await fetch('http://x', { headers: { ...tree.toHeaders() } })
  RunTree.fromHeaders(new Headers())
  RunTree.fromHeaders({ 'langsmith-trace': undefined, cookie: ['a'] })
  return [
    isRunTree(tree),
    convertToDottedOrderFormat(0, 'x'),
    AsyncLocalStorageProviderSingleton,
    DEFAULT_MAX_SIZE_BYTES,
    text,
    number,
    kept,
  ]
}

export async function evaluateEverything(client: Client) {
  const old = (run: Run, example?: Example): EvaluationResult => ({
    key: 'old',
    score: run.outputs?.answer === example?.outputs?.answer,
  })
  const narrow = ({ outputs }: { outputs: { answer: string } }) => ({ score: outputs.answer.length })
  const listed: EvaluatorT[] = [old, narrow, exactMatch(), async () => [{ key: 'a', value: 'x' }, { score: 1 }]]
  const results = await evaluate(async ({ question }: { question: string }) => ({ answer: question.trim() }), {
    data: client.listExamples({ datasetName: 'd', asOf: 'prod' }),
    evaluators: [
      ...listed,
      ({ outputs, referenceOutputs }) => ({ score: outputs.answer === referenceOutputs.answer }),
      { evaluateRun: async (run) => ({ key: 'k', score: run.outputs?.answer.length }) },
      new StringEvaluator({
        evaluationName: 's',
        gradingFunction: async ({ prediction }) => ({ score: prediction.length }),
      }),
      jsonMatch({ compare: { n: 0.1 } }),
      llmAsJudge({ model: 'm', scale: { type: 'labels', labels: { good: 1, bad: 0 } } }),
      traceable(async ({ outputs }: { outputs: { answer: string } }) => ({ score: outputs.answer.length })),
    ],
    summaryEvaluators: [
      ({ outputs, referenceOutputs }) => ({ key: 'n', score: outputs.length + referenceOutputs.length }),
      (runs: Run[], examples: Example[]) => ({ key: 'm', score: runs.length + examples.length }),
    ],
    failIf: 'k.mean<0.5',
    client,
  })
  for await (const { run, example, evaluationResults } of results) {
    run.outputs?.answer.toUpperCase()
    example.inputs.question.toUpperCase()
    evaluationResults.results[0]?.key.toUpperCase()
  }
  const pair = await evaluate([results.experimentName, 'other'], {
    evaluators: [
      ({ runs, outputs }) => ({ key: 'p', scores: { [runs[0]!.id]: outputs[0]?.answer === 'x' ? 1 : 0 } }),
      (runs: Run[], example: Example) => ({ key: 'q', scores: { [runs[0]!.id]: example.id.length } }),
    ],
  })
  await evaluate({ invoke: async (question: { q: string }) => question.q }, { data: 'd' })
  await evaluate(client.listRuns({ projectName: 'p' }), { data: 'd' })
  return pair.comparativeExperiment.id
}
