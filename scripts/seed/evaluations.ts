import { Client, uuid7 } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'
import { send } from './demo.ts'
import { type Chance, chanceFrom } from './random.ts'
import { ANSWERS, QUESTIONS } from './support-answers.ts'

export interface SeededEvaluations {
  readonly dataset: string
  readonly example: string
  /** Oldest first; the last one has an answer in three repetitions. */
  readonly experiments: readonly string[]
  readonly comparison: string
  readonly queue: string
  /** A queue of pairs of answers. */
  readonly pairs: string
  /** Token of the public link of the dataset, with its experiments. */
  readonly datasetToken: string
}

/** How good the answers of an experiment are, and how long they take. */
interface Attempt {
  readonly name: string
  readonly model: string
  readonly temperature: number
  readonly quality: number
  readonly seconds: number
  readonly repetitions: number
}

const ATTEMPTS: readonly Attempt[] = [
  {
    name: 'support-answers small, first prompt',
    model: 'small',
    temperature: 0,
    quality: 0.55,
    seconds: 0.8,
    repetitions: 1,
  },
  {
    name: 'support-answers small, with sources',
    model: 'small',
    temperature: 0,
    quality: 0.66,
    seconds: 1.4,
    repetitions: 1,
  },
  {
    name: 'support-answers large, first prompt',
    model: 'large',
    temperature: 0,
    quality: 0.64,
    seconds: 2.9,
    repetitions: 1,
  },
  {
    name: 'support-answers large, with sources',
    model: 'large',
    temperature: 0.3,
    quality: 0.82,
    seconds: 3.4,
    repetitions: 3,
  },
]

const DAY_MS = 86_400_000

/** Adds a dataset with versions and experiments, a comparison of two of them, and two annotation queues. */
export async function seedEvaluations(url: string, apiKey: string): Promise<SeededEvaluations> {
  const client = new Client({ apiUrl: url, apiKey, webUrl: url })
  const chance = chanceFrom(1912)
  const dataset = await client.createDataset('support answers', {
    description: 'Questions of customers with the answers of the support team.',
  })
  const exampleIds = await createExamples(client, dataset.id)
  const sendRuns = (runs: readonly object[]) => send(url, runs, apiKey)
  const experiments: string[] = []
  for (const [at, attempt] of ATTEMPTS.entries()) {
    const startMs = Date.now() - (ATTEMPTS.length - at) * DAY_MS
    const plan = { attempt, datasetId: dataset.id, exampleIds, startMs, sendRuns }
    experiments.push(await runExperiment(client, chance, plan))
  }
  const [, small, large, best] = experiments as [string, string, string, string]
  const { share_token } = await client.shareDataset(dataset.id, undefined, { shareProjects: true })
  return {
    dataset: dataset.id,
    example: exampleIds[0] ?? '',
    experiments,
    comparison: await judgePairs(client, [small, large]),
    queue: await createQueue(client, dataset.id, best),
    pairs: (
      await client.createAnnotationQueue({
        name: 'small or large',
        description: 'Which answer would you send?',
        rubricInstructions: 'Prefer the answer that a customer can follow without asking again.',
        rubricItems: [{ feedback_key: 'preferred', description: 'Which answer is better?' }],
        sessionIds: [small, large],
      })
    ).id,
    datasetToken: share_token,
  }
}

/** Examples in two versions. @returns their ids, in the order of the questions */
async function createExamples(client: Client, dataset_id: string): Promise<string[]> {
  const ids = QUESTIONS.map(() => uuid7())
  await client.createExamples(
    QUESTIONS.map(({ question, topic, isHard }, at) => ({
      id: ids[at] ?? '',
      dataset_id,
      inputs: { question },
      outputs: { answer: ANSWERS[topic] },
      metadata: { topic },
      split: isHard ? 'hard' : 'base',
    })),
  )
  const { as_of } = await client.readDatasetVersion({ datasetId: dataset_id, tag: 'latest' })
  await client.updateDatasetTag({ datasetId: dataset_id, asOf: as_of, tag: 'production' })
  await client.updateExample({
    id: ids[1] ?? '',
    dataset_id,
    inputs: { question: QUESTIONS[1]?.question },
    outputs: { answer: `${ANSWERS[QUESTIONS[1]?.topic ?? 'password']} The link is valid for one hour.` },
  })
  return ids
}

interface ExperimentPlan {
  readonly attempt: Attempt
  readonly datasetId: string
  readonly exampleIds: readonly string[]
  readonly startMs: number
  readonly sendRuns: (runs: readonly object[]) => Promise<void>
}

async function runExperiment(client: Client, chance: Chance, plan: ExperimentPlan): Promise<string> {
  const { attempt, datasetId, exampleIds, startMs, sendRuns } = plan
  const { name, model, temperature, repetitions } = attempt
  const metadata = { model, temperature, num_repetitions: repetitions }
  const project = await client.createProject({ projectName: name, referenceDatasetId: datasetId, metadata })
  const runs: object[] = []
  const scores: { runId: string; score: number; comment: string }[] = []
  for (const [at, reference_example_id] of exampleIds.entries()) {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const id = uuid7()
      const { run, score, comment } = answer(chance, attempt, at)
      const start = startMs + at * 4_000 + repetition * 1_000
      runs.push({
        ...{
          id,
          trace_id: id,
          name: 'answer_customer',
          run_type: 'chain',
          session_id: project.id,
          reference_example_id,
        },
        start_time: new Date(start).toISOString(),
        end_time: new Date(start + attempt.seconds * 1_000 * chance.between(0.6, 1.8)).toISOString(),
        ...run,
      })
      if (score !== undefined) scores.push({ runId: id, score, comment })
    }
  }
  await sendRuns(runs)
  await client.createFeedbackBatch(
    scores.flatMap(({ runId, score, comment }) => [
      { runId, key: 'correctness', score, comment, feedbackSourceType: 'model' as const },
      { runId, key: 'polite', score: chance.happens(0.9) ? 1 : 0, feedbackSourceType: 'model' as const },
    ]),
  )
  await client.updateProject(project.id, { endTime: new Date(startMs + 600_000) })
  return project.id
}

/** What one attempt answers: the right text, a part of it, a wrong one, or an error. */
function answer(chance: Chance, { model, quality }: Attempt, at: number) {
  const { question, topic, isHard } = QUESTIONS[at] ?? { question: '', topic: 'password' as const, isHard: false }
  const inputs = { question }
  if (model === 'large' && chance.happens(0.03)) {
    return { run: { inputs, error: 'RateLimitError: 429, retry after 20 s\n  at complete (model.ts:48)' }, comment: '' }
  }
  const level = chance.between(0, 1) + (isHard ? 0.15 : 0)
  const [text, score, comment] =
    level < quality
      ? [ANSWERS[topic], 1, 'The answer has all steps of the reference.']
      : level < quality + 0.2
        ? [
            `${ANSWERS[topic].split('.')[0]}. Please contact us if that does not help.`,
            0.5,
            'The second step is missing.',
          ]
        : ['I am sorry, I could not find this in our help pages.', 0, 'The answer does not help the customer.']
  return { run: { inputs, outputs: { answer: text } }, score, comment }
}

async function judgePairs(client: Client, pair: [string, string]): Promise<string> {
  const length = ({ outputs }: { outputs?: unknown }) => JSON.stringify(outputs ?? {}).length
  const results = await evaluate(pair, {
    client,
    evaluators: [
      ({ runs }) => {
        const [one, other] = runs.map(length) as [number, number]
        const scores = one === other ? [0.5, 0.5] : one > other ? [1, 0] : [0, 1]
        return {
          key: 'more complete',
          scores: Object.fromEntries(runs.map(({ id }, at) => [id, scores[at] ?? 0])),
          comment: one === other ? 'Both have the same steps.' : 'The longer answer names more steps.',
        }
      },
    ],
    randomizeOrder: true,
    progress: false,
  })
  return results.comparativeExperiment.id
}

async function createQueue(client: Client, defaultDataset: string, experiment: string): Promise<string> {
  const { id } = await client.createAnnotationQueue({
    name: 'answers to check',
    description: 'Answers of the large model before it goes live',
    rubricInstructions: 'Compare with the help pages **before** you score. A wrong link is a wrong answer.',
    rubricItems: [
      {
        feedback_key: 'right',
        description: 'Is the answer right?',
        score_descriptions: { 0: 'wrong', 0.5: 'partly', 1: 'right' },
        is_required: true,
      },
      { feedback_key: 'tone', description: 'Would you send it like this?' },
    ],
    defaultDataset,
    reservationMinutes: 60,
  })
  const runIds: string[] = []
  for await (const run of client.listRuns({ projectId: experiment, isRoot: true, limit: 20 })) runIds.push(run.id)
  await client.addRunsToAnnotationQueue(id, runIds)
  return id
}
