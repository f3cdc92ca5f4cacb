import { randomUUID } from 'node:crypto'
import { AgentAddress, Client } from '@touchstone/sdk'
import { seedComparison } from './seed-comparison.ts'
import { callApi, type QueueApi, RUBRIC, seedChats, seedQueue } from './seed-queue.ts'
import { seedTraces } from './seed-traces.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from './trace-writer.ts'

/** A workspace in which every page has content. */
export interface FilledWorkspace {
  readonly client: Client
  /** A project of 12 traces, of which one failed, with threads and feedback. */
  readonly projectId: string
  /** An agent with a failed tool, equal siblings, a model call with messages, and a retriever. */
  readonly agent: {
    readonly root: WrittenRun
    readonly failed: WrittenRun
    readonly model: WrittenRun
    readonly found: WrittenRun
  }
  /** The same agent with another model and one step more. */
  readonly other: WrittenRun
  readonly threadId: string
  /** A dataset of six examples with two experiments, of which the second is worse on some examples. */
  readonly datasetId: string
  readonly exampleIds: readonly string[]
  readonly experimentIds: readonly string[]
  readonly comparisonId: string
  readonly queueId: string
  readonly evaluatorId: string
  /** A rule of two versions whose dataset is gone, which is why it is blocked. */
  readonly ruleId: string
  /** Of public links of a run and of the dataset with its experiments. */
  readonly runToken: string
  readonly datasetToken: string
}

/**
 * Puts a little of everything into a workspace, for pages that are looked at and not worked with. Tables are short,
 * because axe checks every cell.
 *
 * @param providerUrl  a model provider
 */
export async function seedEveryPage(url: string, providerUrl: string): Promise<FilledWorkspace> {
  const api = { url }
  const client = new Client({ apiUrl: `${url}/api/v1`, webUrl: url })
  await seedTraces({ url, project: 'support-bot', traces: 12 })
  const projectId = await projectIdOf(url, 'support-bot')
  const agent = await writeAgent(url, 'gpt-4o-mini')
  const other = (await writeAgent(url, 'gpt-4o', true)).root
  const threadId = await writeThread(url)
  await seedFeedback(api, client, agent.root.id, threadId, projectId)
  const dataset = await seedDataset(client, url)
  const queueId = await seedQueue(
    api,
    { name: 'Triage', reservation_minutes: 60, ...RUBRIC },
    await seedChats(api, 'chats', 4),
  )
  await seedPrompts(client)
  const evaluatorId = await seedSettings(client, url, providerUrl)
  const ruleId = await seedRules(client, url, projectId, queueId)
  const { share_token: runToken } = await callApi<{ share_token: string }>(
    api,
    'PUT',
    `/runs/${agent.root.id}/share`,
    {},
  )
  const { share_token: datasetToken } = await client.shareDataset(dataset.datasetId, undefined, { shareProjects: true })
  return { client, projectId, agent, other, threadId, ...dataset, queueId, evaluatorId, ruleId, runToken, datasetToken }
}

/** @param isLonger  with one step more, and another answer */
async function writeAgent(url: string, model: string, isLonger = false): Promise<FilledWorkspace['agent']> {
  const writer = new TraceWriter(url, 'support-bot')
  const metadata = { ls_provider: 'openai', ls_model_name: model }
  const root = writer.add({
    name: 'support_agent',
    at: [0, 3_420],
    tags: ['eu', 'beta'],
    extra: { metadata: { env: 'prod', model } },
  })
  const failed = writer.add({
    ...{ parent: root, name: 'lookup', type: 'tool', at: [40, 240] as [number, number] },
    error: 'TimeoutError: no answer\n    at lookup (/app/tools.ts:18:11)\n    at fetch (/app/node_modules/x/y.js:1:1)',
  })
  for (let i = 0; i < 6; i++)
    writer.add({ parent: root, name: 'rerank', type: 'tool', at: [300 + i * 10, 308 + i * 10] })
  const documents = [
    { page_content: 'Kept forever.', metadata: { source: 'guide.md', score: 0.83 } },
    { page_content: 'Deleted with its project.', metadata: { source: 'faq.md', score: 0.7 } },
  ]
  const found = writer.add({
    ...{ parent: root, name: 'search_kb', type: 'retriever', at: [380, 398] as [number, number] },
    ...{ inputs: { query: 'How long?' }, outputs: { documents } },
  })
  const called = writer.add({
    ...{ parent: root, name: 'ChatModel', type: 'llm', at: [400, 1_710] as [number, number], extra: { metadata } },
    ...{
      inputs: { messages: CHAT, order: 'number:12345678901234567890' },
      outputs: answerWith(isLonger ? 'Open Preferences.' : ANSWER),
    },
  })
  const repeated = [...CHAT, { role: 'user', content: 'Well?' }]
  writer.add({
    ...{ parent: root, name: 'Answer', type: 'llm', at: [1_800, 2_700] as [number, number], extra: { metadata } },
    ...{ inputs: { messages: repeated }, outputs: answerWith('It was shipped.') },
  })
  if (isLonger) writer.add({ parent: root, name: 'check', type: 'tool', at: [2_800, 2_900] })
  await writer.send()
  return { root, failed, model: called, found }
}

/** A conversation of three turns, of which the last failed. @returns its id */
async function writeThread(url: string): Promise<string> {
  const threadId = 'refund / ünïcode'
  const said: object[] = [{ role: 'system', content: 'You are a support agent.' }]
  for (let turn = 1; turn <= 3; turn++) {
    const writer = new TraceWriter(url, 'support-bot', Date.now() - (600 - turn * 60) * 1_000)
    said.push({ role: 'user', content: `question ${turn}` })
    const answer = { role: 'assistant', content: `answer ${turn}` }
    const end = turn === 3 ? { error: 'RateLimitError: 429' } : { outputs: { messages: [answer] } }
    const extra = { metadata: { thread_id: threadId } }
    const root = writer.add({ name: 'agent', at: [0, 900], inputs: { messages: [...said] }, extra, ...end })
    writer.add({ parent: root, name: 'search_kb', type: 'tool', at: [10, 250], inputs: { query: `about ${turn}` } })
    await writer.send()
    said.push(answer)
  }
  return threadId
}

async function seedFeedback(
  api: QueueApi,
  client: Client,
  runId: string,
  threadId: string,
  projectId: string,
): Promise<void> {
  const categories = [
    { value: 1, label: 'friendly' },
    { value: 0, label: 'rude' },
  ]
  await client.createFeedbackConfig({ feedbackKey: 'tone', feedbackConfig: { type: 'categorical', categories } })
  await client.createFeedback(runId, 'tone', { score: 1, value: 'friendly', comment: 'Well said.' })
  const feedbackSourceType = 'model'
  await client.createFeedback(runId, 'correctness', { score: 0.5, comment: 'Half of it.', feedbackSourceType })
  await client.createFeedback(runId, 'note', { comment: 'Ask legal.' })
  const onThread = { session_id: projectId, feedback_thread_id: threadId, key: 'solved', score: 0.5 }
  await callApi(api, 'POST', '/feedback', onThread)
}

async function seedDataset(client: Client, url: string) {
  const { datasetId, exampleIds, experimentIds, runIds } = await seedComparison({
    ...{ url, dataset: 'qa-golden', examples: 6, experiments: ['support-v4', 'support-v5'] },
    score: (experiment, example) => (experiment === 1 && example % 3 === 0 ? 0 : 1),
    isFailed: (experiment, example) => experiment === 1 && example === 2,
  })
  await client.updateDataset({ datasetId, baselineExperimentId: experimentIds[0] })
  await client.updateDatasetTag({ datasetId, asOf: new Date().toISOString(), tag: 'prod' })
  for (const answer of ['Ask the team.', 'Ask the team again.', 'Ask support.']) {
    await client.updateExample({ id: exampleIds[0]!, dataset_id: datasetId, outputs: { answer } })
  }
  const comparison = await client.createComparativeExperiment({
    name: 'v4 against v5',
    experimentIds: [...experimentIds],
  })
  for (const [side, ids] of runIds.entries()) {
    for (const [at, runId] of ids.entries()) {
      await client.createFeedback(runId, 'helpful', {
        ...{ score: at === 3 ? 0.5 : 1 - side, comment: `Judged pair ${at}.` },
        ...{ sessionId: experimentIds[side], comparativeExperimentId: comparison.id },
      })
    }
  }
  return { datasetId, exampleIds, experimentIds, comparisonId: comparison.id }
}

async function seedPrompts(client: Client): Promise<void> {
  await client.pushPrompt('order', { object: aPrompt('You are kind.'), tags: ['support'], commitTags: ['production'] })
  await client.pushPrompt('order', { object: aPrompt('You are terse.', 0.7), commitDescription: 'terse' })
  await client.pushPrompt('joke', { object: template('A joke about {topic}'), description: 'Jokes' })
}

/** What the pages of the settings, of evaluators and of agents list. @returns id of an evaluator with two versions */
async function seedSettings(client: Client, url: string, providerUrl: string): Promise<string> {
  const models = ['fake-model']
  const provider = { name: 'Models', kind: 'openai-chat', base_url: providerUrl, models } as const
  const { id: provider_id } = await client.createModelProvider(provider)
  const definition = (content: string) => ({
    ...{ kind: 'llm_judge' as const, provider_id, model: 'fake-model', messages: [{ role: 'user' as const, content }] },
    ...{ mapping: { question: 'inputs.question' }, feedback: [{ key: 'correct', type: 'boolean' as const }] },
  })
  const evaluator = await client.createSavedEvaluator({
    name: 'Right answer',
    definition: definition('Judge {{question}}'),
  })
  await client.createEvaluatorVersion(evaluator.id, {
    definition: definition('Judge {{question}} strictly'),
    note: 'stricter',
    expected_version: 1,
  })
  await client.createModelPrice({ name: 'Own', match_pattern: '^own-', prompt_cost: '1', completion_cost: '2' })
  await client.createSavedView({ name: 'Model calls', state: { scope: 'runs', filter: 'eq(run_type, "llm")' } })
  await client.agents.create({ id: 'support' })
  await client.sessions.resolve(new AgentAddress('support', 'production')).catch(() => undefined)
  const rejected = {
    id: randomUUID(),
    name: 'answer',
    run_type: 'chain',
    session_name: 'support-bot',
    start_time: 'yesterday',
  }
  await fetch(`${url}/api/v1/runs/batch`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ post: [{ ...rejected, trace_id: rejected.id }] }),
  })
  return evaluator.id
}

/** A rule that acts, and one that is blocked. @returns id of the latter */
async function seedRules(client: Client, url: string, projectId: string, queueId: string): Promise<string> {
  const source = { project_ids: [projectId], filter: 'eq(name, "audit")' }
  await client.createRule({
    name: 'Send audits to review',
    definition: { ...source, actions: [{ kind: 'add_to_queue', queue_id: queueId }] },
  })
  const { id: dataset_id } = await client.createDataset('to be deleted')
  const actions = [{ kind: 'add_to_dataset' as const, dataset_id }]
  const rule = await client.createRule({ name: 'Collect examples', definition: { ...source, actions } })
  await client.updateRule(rule.id, { definition: { ...source, quiet_seconds: 20, actions }, expected_version: 1 })
  await client.deleteDataset({ datasetId: dataset_id })
  const writer = new TraceWriter(url, 'support-bot')
  writer.add({ name: 'audit', at: [0, 10] })
  await writer.send()
  const end = Date.now() + 60_000
  while ((await client.readRule(rule.id)).blocked === null) {
    if (Date.now() > end) throw new Error('The rule whose dataset is gone was not blocked.')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return rule.id
}

const lc = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs })
const template = (text: string) => lc('PromptTemplate', { template: text, template_format: 'f-string' })

/** A chat with a variable, a model and a tool. */
function aPrompt(system: string, temperature = 0.2): object {
  const tool = { type: 'function', function: { name: 'find_order', description: 'Finds an order', parameters: {} } }
  const messages = [
    lc('SystemMessagePromptTemplate', { prompt: template(system) }),
    lc('HumanMessagePromptTemplate', { prompt: template('{question}') }),
  ]
  const bound = lc('ChatOpenAI', { model: 'gpt-5-mini', temperature })
  return lc('RunnableSequence', {
    first: lc('ChatPromptTemplate', { messages }),
    last: lc('RunnableBinding', { bound, kwargs: { tools: [tool] } }),
  })
}

const answerWith = (content: string) => ({
  choices: [{ message: { role: 'assistant', reasoning_content: 'The order number is 88.', content } }],
  usage: { prompt_tokens: 1200, completion_tokens: 312, total_tokens: 1512 },
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const ANSWER =
  'Open **Settings**\nthen look.\n\n[docs](https://docs.example/) ![x](https://evil.example/x.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |'
const CHAT = [
  { role: 'system', content: 'Be kind.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Where is it?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: 'image_url', image_url: { url: 'https://evil.example/x.png' } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"order":88}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'shipped' },
]
