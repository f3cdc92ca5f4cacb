import { Client, uuid7 } from '@touchstone/sdk'

export interface SeedComparisonOptions {
  url: string
  dataset: string
  examples: number
  experiments: readonly string[]
  /** @default 1 */
  repetitions?: number
  /** Score of `correctness` by experiment, example and repetition; null: not scored. @default 1 or 0, changing */
  score?: (experiment: number, example: number, repetition: number) => number | null
  /** Whether a run fails. @default none */
  isFailed?: (experiment: number, example: number) => boolean
  /** Output of a run. @default a sentence that differs by experiment and repetition */
  output?: (experiment: number, example: number, repetition: number) => Record<string, unknown>
}

export interface SeededComparison {
  readonly datasetId: string
  readonly exampleIds: readonly string[]
  readonly experimentIds: readonly string[]
  /** By experiment: example by example, its repetitions one after the other. */
  readonly runIds: readonly (readonly string[])[]
}

const AT_ONCE = 500

/**
 * A dataset with experiments over it. Every second example is in the split `hard`, and every third has the topic `auth`. An evaluator scores `correctness` with
 * a comment, and `tone` with 0.5. The first example is the first of the list.
 */
export async function seedComparison(options: SeedComparisonOptions): Promise<SeededComparison> {
  const { url, examples, experiments, repetitions = 1 } = options
  const client = new Client({ apiUrl: `${url}/api/v1`, apiKey: 'unused' })
  const dataset = await client.createDataset(options.dataset)
  const exampleIds = Array.from({ length: examples }, () => uuid7())
  await client.createExamples(
    exampleIds.map((id, at) => ({
      id,
      dataset_id: dataset.id,
      inputs: { question: `How do I reset password number ${at + 1}?` },
      outputs: { answer: `Open Settings, choose Security, then press Reset number ${at + 1}.` },
      metadata: { topic: at % 3 === 0 ? 'auth' : 'billing' },
      ...(at % 2 === 1 && { split: 'hard' }),
    })),
  )
  const started = Date.now() - 3_600_000
  const experimentIds: string[] = []
  const runIds: string[][] = []
  for (const [experiment, name] of experiments.entries()) {
    const metadata = { num_repetitions: repetitions, model: `model-${experiment}`, temperature: experiment / 10 }
    const project = await client.createProject({ projectName: name, referenceDatasetId: dataset.id, metadata })
    const runs = exampleIds.flatMap((reference_example_id, example) =>
      Array.from({ length: repetitions }, (_, repetition) => {
        const start = started + example * 20 + repetition * examples * 20
        const isFailed = options.isFailed?.(experiment, example) ?? false
        const id = uuid7()
        return {
          run: {
            id,
            trace_id: id,
            name: 'answer_question',
            run_type: 'chain',
            session_id: project.id,
            reference_example_id,
            start_time: new Date(start).toISOString(),
            end_time: new Date(start + 800 + 300 * experiment).toISOString(),
            inputs: { question: `How do I reset password number ${example + 1}?` },
            ...(isFailed
              ? { error: 'RateLimitError: 429\n  at call (model.ts:12)' }
              : { outputs: (options.output ?? describeAnswer)(experiment, example, repetition) }),
          },
          score: isFailed ? null : (options.score ?? alternate)(experiment, example, repetition),
        }
      }),
    )
    for (let at = 0; at < runs.length; at += AT_ONCE) {
      await send(`${url}/api/v1/runs/batch`, { post: runs.slice(at, at + AT_ONCE).map(({ run }) => run) })
    }
    const failures = await client.createFeedbackBatch(
      runs.flatMap(({ run, score }) =>
        score === null
          ? []
          : [
              {
                runId: run.id,
                key: 'correctness',
                score,
                comment: `The answer ${score > 0.5 ? 'matches' : 'misses'} the reference.`,
                feedbackSourceType: 'model' as const,
              },
              { runId: run.id, key: 'tone', score: 0.5, feedbackSourceType: 'model' as const },
            ],
      ),
    )
    const failure = failures.find((one) => one !== undefined)
    if (failure !== undefined) throw failure
    await client.updateProject(project.id, { endTime: new Date(started + 600_000) })
    experimentIds.push(project.id)
    runIds.push(runs.map(({ run }) => run.id))
  }
  return { datasetId: dataset.id, exampleIds, experimentIds, runIds }
}

function describeAnswer(experiment: number, example: number, repetition: number): Record<string, unknown> {
  const verbs = ['choose Security', 'pick Security', 'go to Privacy', 'ask support', 'search for it']
  const ending = repetition === 0 ? '' : ` Attempt ${repetition + 1}.`
  return {
    answer: `Open Settings, ${verbs[experiment % verbs.length]}, then press Reset number ${example + 1}.${ending}`,
  }
}

function alternate(experiment: number, example: number, repetition: number): number {
  return (experiment * 7 + example * 3 + repetition) % 5 < 3 ? 1 : 0
}

async function send(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
}
