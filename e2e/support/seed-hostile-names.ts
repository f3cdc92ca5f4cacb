import { Client } from '@touchstone/sdk'
import { FOREIGN, LURES, luresAsKeys } from './hostile-corpus.ts'

/** One line without control characters, as required for names of people and workspaces. */
const lines = LURES.map((lure) => lure.replaceAll(/\p{C}|[\u2028\u2029]/gu, '').slice(0, 150)).filter(
  (line) => line.trim() !== '',
)

/**
 * Gives hostile names to datasets, queues, saved views, dashboards, prices, the workspace, invites and people, which
 * menus, dialogs and settings list.
 *
 * @param key  of an admin
 * @returns a dataset, a queue and a prompt with hostile content
 */
export async function seedHostileNames(url: string, key: string, { projectId, runIds }: HostileRuns) {
  const client = new Client({ apiUrl: url, apiKey: key })
  const evaluation = await seedEvaluation(client, runIds)
  for (const [at, line] of lines.entries()) {
    const name = `${at} ${line}`
    await client.createDataset(name, { description: line })
    await client.createAnnotationQueue({ name, description: line, rubricInstructions: line })
    await client.createSavedView({ name, projectId, state: { filter: line, t: line, cols: line } })
    if (at < 8) await client.createDashboard({ name, projectId, charts: [{ id: 'c', title: line, metric: 'runs' }] })
    if (at < 8)
      await client.createModelPrice({ name, match_pattern: `^${at}$`, prompt_cost: '1', completion_cost: '1' })
  }
  await client.renameWorkspace(lines[1]!)
  await client.createInvite({ email: `"<svg/onload=alert('ran')>"@evil.example` })
  for (const [at, name] of lines.slice(0, 6).entries()) {
    const { token } = await client.createInvite({ role: 'member' })
    const headers = { 'content-type': 'application/json', origin: url }
    const body = JSON.stringify({ email: `<img/src=${FOREIGN}/${at}>@evil.example`, password: 'long enough', name })
    const answer = await fetch(`${url}/api/v1/auth/invites/${token}`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`The invite was answered ${answer.status}: ${await answer.text()}`)
  }
  return { ...evaluation, repo: await seedPrompt(client), evaluatorId: await seedEvaluator(client) }
}

/** An evaluator whose name, texts and source are hostile. */
async function seedEvaluator(client: Client): Promise<string> {
  const text = LURES.join('\n\n').replaceAll('\0', '').toWellFormed()
  const evaluator = await client.createSavedEvaluator({
    name: text.slice(0, 100),
    description: text.slice(0, 5000),
    definition: { kind: 'javascript', source: text },
    note: text.slice(0, 2000),
  })
  return evaluator.id
}

/** A prompt whose messages, commits, description and readme are hostile. */
async function seedPrompt(client: Client): Promise<string> {
  const repo = 'hostile'
  await client.createPrompt(repo, { description: lines[1]!, readme: LURES.join('\n\n') })
  for (const content of [LURES.join('\n\n'), LURES[1]!]) {
    const template = content.replaceAll('\0', '')
    const prompt = serialized('prompt', 'PromptTemplate', {
      template,
      template_format: 'mustache',
      input_variables: [],
    })
    const messages = [serialized('chat', 'SystemMessagePromptTemplate', { prompt })]
    const metadata = { lc_hub_owner: lines[3], topic: template }
    const manifest = serialized('chat', 'ChatPromptTemplate', { messages, input_variables: [template], metadata })
    await client.createCommit(repo, manifest, { description: template.slice(0, 1000) })
  }
  return repo
}

/** What LangChain writes for an object of `langchain_core.prompts`. */
const serialized = (module: string, name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'prompts', module, name],
  kwargs,
})

interface HostileRuns {
  projectId: string
  /** Runs to review. */
  runIds: readonly string[]
}

/** Hostile examples behind a public link, and a queue whose rubric and items are hostile. */
async function seedEvaluation(client: Client, runIds: readonly string[]) {
  const name = lines[2] ?? ''
  const dataset = await client.createDataset(`examples ${name}`, { description: name, metadata: luresAsKeys() })
  const [example] = await client.createExamples(
    LURES.map((lure, index) => ({
      dataset_id: dataset.id,
      inputs: { ...luresAsKeys(), question: lure },
      outputs: { answer: lure },
      metadata: { ...luresAsKeys(), topic: lure },
      split: [lines[index % lines.length] ?? 'test'],
    })),
  )
  const { share_token: datasetToken } = await client.shareDataset(dataset.id)
  const queue = await client.createAnnotationQueue({
    name: `review ${name}`,
    rubricInstructions: LURES.join('\n\n'),
    rubricItems: [
      { feedback_key: 'correct', description: LURES[3] ?? '', value_descriptions: { yes: LURES[4] ?? '' } },
    ],
  })
  await client.addRunsToAnnotationQueue(queue.id, runIds)
  return { datasetId: dataset.id, exampleId: example?.id ?? '', datasetToken, queueId: queue.id }
}
