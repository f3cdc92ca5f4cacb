import { randomUUID } from 'node:crypto'
import { Client } from '@touchstone/sdk'

export interface SeededExperiment {
  readonly id: string
  readonly name: string
}

export interface ExperimentSeed {
  readonly name: string
  /** Epoch milliseconds of its start. @default a minute before now */
  readonly startMs?: number
  readonly metadata?: Readonly<Record<string, unknown>>
  /** @default 1 */
  readonly repetitions?: number
  /** Scores of a run by feedback key; undefined: not scored. */
  readonly scores: (example: number, repetition: number) => Readonly<Record<string, number | undefined>>
  readonly output?: (example: number, repetition: number) => object
  /** The error of a run; undefined: it succeeds. */
  readonly error?: (example: number) => string | undefined
  /** @default 1000 */
  readonly latencyMs?: (example: number) => number
  /** Tokens of the model call of each run. @default 100 */
  readonly tokens?: number
  /** Only the first examples have a run, and the experiment has not ended. */
  readonly runsSoFar?: number
}

export interface ExperimentsSeed {
  readonly url: string
  readonly dataset: string
  readonly examples: number
  readonly experiments: readonly ExperimentSeed[]
}

/** Creates a dataset with examples `question n` → `answer n`, and experiments over it with their runs and scores. */
export async function seedExperiments({ url, dataset: name, examples, experiments }: ExperimentsSeed) {
  const client = new Client({ apiUrl: `${url}/api/v1`, apiKey: 'none-needed' })
  const dataset = await client.createDataset(name)
  const created = await client.createExamples(
    Array.from({ length: examples }, (_, at) => ({
      dataset_id: dataset.id,
      inputs: { question: `question ${at}` },
      outputs: { answer: `answer ${at}` },
      split: at % 4 === 0 ? 'test' : 'train',
    })),
  )
  const exampleIds = created
    .toSorted((a, b) => Number(a.inputs.question?.slice(9)) - Number(b.inputs.question?.slice(9)))
    .map(({ id }) => id)
  const seeded: SeededExperiment[] = []
  for (const experiment of experiments) {
    seeded.push(await seedExperiment({ url, client, datasetId: dataset.id, exampleIds }, experiment))
  }
  return { client, datasetId: dataset.id, exampleIds, experiments: seeded }
}

interface Seeding {
  readonly url: string
  readonly client: Client
  readonly datasetId: string
  readonly exampleIds: readonly string[]
}

/** Adds one experiment to a dataset. */
export async function seedExperiment(seeding: Seeding, experiment: ExperimentSeed): Promise<SeededExperiment> {
  const { url, client, exampleIds } = seeding
  const { name, metadata, repetitions = 1, runsSoFar, startMs = Date.now() - 60_000 } = experiment
  const project = await createExperiment(seeding, { ...experiment, startMs })
  const runs = exampleIds.slice(0, runsSoFar).flatMap((exampleId, example) =>
    Array.from({ length: repetitions }, (_, repetition) => {
      const id = randomUUID()
      const scores = Object.entries(experiment.scores(example, repetition))
      const post = toRuns(experiment, { id, exampleId, example, repetition, projectId: project.id, startMs })
      return {
        post,
        feedback: scores.flatMap(([key, score]) => (score === undefined ? [] : { run_id: id, key, score })),
      }
    }),
  )
  for (let at = 0; at < runs.length; at += 50) {
    const some = runs.slice(at, at + 50)
    await send(url, '/runs/batch', { post: some.flatMap(({ post }) => post) })
    await Promise.all(some.flatMap((run) => run.feedback).map((body) => send(url, '/feedback', body)))
  }
  if (runsSoFar === undefined) {
    await client.updateProject(project.id, {
      metadata: { ...metadata },
      endTime: new Date(startMs + 60_000).toISOString(),
    })
  }
  return { id: project.id, name }
}

async function createExperiment(
  { url, datasetId, exampleIds }: Seeding,
  { name, metadata, repetitions = 1, startMs }: ExperimentSeed & { startMs: number },
): Promise<{ id: string }> {
  const body = {
    name,
    start_time: new Date(startMs).toISOString(),
    extra: { metadata: { ...metadata, num_repetitions: repetitions } },
    reference_dataset_id: datasetId,
    num_examples: exampleIds.length,
    num_repetitions: repetitions,
  }
  return (await send(url, '/sessions', body)) as { id: string }
}

interface RunSeed {
  readonly id: string
  readonly exampleId: string
  readonly example: number
  readonly repetition: number
  readonly projectId: string
  readonly startMs: number
}

/** A run with one model call. */
function toRuns(experiment: ExperimentSeed, seed: RunSeed): object[] {
  const { id, exampleId, example, repetition, projectId } = seed
  const { output = (at) => ({ answer: `answer ${at}` }), error, latencyMs = () => 1_000, tokens = 100 } = experiment
  const startMs = seed.startMs + example * 10 + repetition
  const endMs = startMs + latencyMs(example)
  const failure = error?.(example)
  const shared = { trace_id: id, session_id: projectId, start_time: toIso(startMs), end_time: toIso(endMs) }
  const childId = randomUUID()
  return [
    {
      ...shared,
      ...{
        id,
        name: 'target',
        run_type: 'chain',
        dotted_order: printOrder(startMs, id),
        reference_example_id: exampleId,
      },
      inputs: { question: `question ${example}` },
      ...(failure === undefined ? { outputs: output(example, repetition) } : { error: failure }),
    },
    {
      ...shared,
      ...{ id: childId, parent_run_id: id, name: 'model', run_type: 'llm' },
      dotted_order: `${printOrder(startMs, id)}.${printOrder(startMs, childId)}`,
      inputs: { messages: [{ role: 'user', content: `question ${example}` }] },
      outputs: { usage_metadata: { input_tokens: tokens, output_tokens: 10, total_tokens: tokens + 10 } },
      extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini' } },
    },
  ]
}

const toIso = (ms: number) => new Date(ms).toISOString()

function printOrder(ms: number, id: string): string {
  return `${toIso(ms).replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`
}

async function send(url: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
