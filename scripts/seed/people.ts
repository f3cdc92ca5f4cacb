import { Client, type Run } from '@touchstone/sdk'
import { type Chance, chanceFrom } from './random.ts'

export interface SeededPeople {
  /** Token of a run that anyone with the link may read. */
  readonly shareToken: string
  /** Id of a dashboard of `docs-assistant`. */
  readonly board: string
  /** A key to sign in with. It is the first key, so the server requires one from now on. */
  readonly key: string
}

/**
 * Adds to the demo what people create: feedback with its configs, notes, descriptions, a dataset, an annotation queue,
 * a shared link, keys. Send the demo first.
 *
 * @param url  of the server, without `/api/v1`
 */
export async function seedPeople(url: string): Promise<SeededPeople> {
  const client = new Client({ apiUrl: url, apiKey: process.env.TOUCHSTONE_API_KEY ?? 'any' })
  const chance = chanceFrom(1848)
  await describeProjects(client)
  await configureFeedback(client)
  const answers = await listRoots(client, 'docs-assistant', 500)
  const turns = await listRoots(client, 'support-agent', 500)
  await inParallel(answers, (run) => rateAnswer(client, chance, run))
  await inParallel(turns, (run) => rateTurn(client, chance, run))
  await createDatasetAndQueue(client, answers)
  const board = await composeDashboard(client)
  const [research] = await listRoots(client, 'research-agent', 1)
  const link = await client.shareRun(research!.id)
  const { key } = await client.createApiKey({ description: 'production agents' })
  const withKey = new Client({ apiUrl: url, apiKey: key })
  for (const description of ['ci', 'laptop of Ada']) {
    await withKey.createApiKey({ description, readOnly: description === 'ci' })
  }
  return { board, shareToken: /public\/([0-9a-f-]{36})/.exec(link)![1]!, key }
}

async function describeProjects(client: Client) {
  const descriptions = {
    'docs-assistant': 'Answers questions from the handbook; retrieval and one model call.',
    'support-agent': 'Talks to customers, looks up orders, starts refunds.',
    'research-agent': 'Plans, searches, reads and writes a report with sub-agents.',
    'contract-review': 'Nightly batch over the contracts that came in.',
  }
  for (const [name, description] of Object.entries(descriptions)) {
    await client.updateProject((await client.readProject({ projectName: name })).id, { description })
  }
}

async function configureFeedback(client: Client) {
  const thumbs = [
    { value: 0, label: 'not helpful' },
    { value: 1, label: 'helpful' },
  ]
  const tones = ['cold', 'neutral', 'warm'].map((label, value) => ({ value, label }))
  const configs = {
    helpful: { type: 'categorical', categories: thumbs },
    correctness: { type: 'continuous', min: 0, max: 1 },
    tone: { type: 'categorical', categories: tones },
  } as const
  for (const [feedbackKey, feedbackConfig] of Object.entries(configs)) {
    await client.createFeedbackConfig({ feedbackKey, feedbackConfig: structuredClone(feedbackConfig) as never })
  }
}

async function listRoots(client: Client, projectName: string, limit: number): Promise<Run[]> {
  const runs: Run[] = []
  for await (const run of client.listRuns({ projectName, isRoot: true, limit })) runs.push(run)
  return runs
}

async function rateAnswer(client: Client, chance: Chance, run: Run) {
  const score = run.error ? 0 : Math.round(Math.min(1, chance.between(0.35, 1.25)) * 100) / 100
  await client.createFeedback(run.id, 'correctness', { score, feedbackSourceType: 'model' })
  if (chance.happens(0.4)) {
    const comment = score > 0.6 ? 'Exactly what I needed.' : 'The second half contradicts the handbook.'
    await client.createFeedback(run.id, 'helpful', { score: score > 0.6 ? 1 : 0, comment, feedbackSourceType: 'app' })
  }
}

async function rateTurn(client: Client, chance: Chance, run: Run) {
  if (run.error || chance.happens(0.3)) return
  const label = chance.oneOf(['neutral', 'warm', 'warm', 'cold'])
  await client.createFeedback(run.id, 'tone', {
    score: ['cold', 'neutral', 'warm'].indexOf(label),
    value: label,
    feedbackSourceType: 'app',
  })
}

async function createDatasetAndQueue(client: Client, answers: readonly Run[]) {
  const dataset = await client.createDataset('handbook questions', {
    description: 'Questions with answers that a person checked.',
  })
  for (const { id } of answers.filter((run) => !run.error && run.end_time).slice(0, 12)) {
    await client.createExample({ dataset_id: dataset.id, source_run_id: id, use_source_run_io: true })
  }
  const queue = await client.createAnnotationQueue({ name: 'doubtful answers', description: 'Scored below 0.5' })
  await client.addRunsToAnnotationQueue(
    queue.id,
    answers.slice(0, 25).map(({ id }) => id),
  )
}

async function composeDashboard(client: Client): Promise<string> {
  const { id } = await client.createDashboard({
    name: 'Answers',
    projectId: (await client.readProject({ projectName: 'docs-assistant' })).id,
    charts: [
      { id: 'score', title: 'Are they right?', metric: 'feedback', feedback_key: 'correctness', size: 'wide' },
      { id: 'latency', metric: 'latency' },
      {
        id: 'steps',
        title: 'Runs by name',
        metric: 'runs',
        scope: 'runs',
        group_by: { attribute: 'name' },
        kind: 'bar',
        size: 'wide',
      },
      { id: 'cost', metric: 'cost', kind: 'bar' },
    ],
  })
  return id
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  for (let at = 0; at < items.length; at += 16) await Promise.all(items.slice(at, at + 16).map(work))
}
