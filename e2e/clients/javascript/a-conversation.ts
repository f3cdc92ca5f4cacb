import { randomUUID } from 'node:crypto'
import type { Client } from 'langsmith'
import { RunTree } from 'langsmith'
import { aProjectName } from './a-client.ts'

/** What was sent of one trace: a chain over an llm run that reports what it used. */
export interface SentTrace {
  readonly root: RunTree
  readonly llm: RunTree
}

export interface Conversation {
  readonly projectName: string
  readonly projectId: string
  readonly threadId: string
  /** Oldest first. */
  readonly traces: readonly SentTrace[]
}

/** A conversation of some turns, recorded through the public client as a user's program would. */
export async function aConversation(client: Client, turns = 2): Promise<Conversation> {
  const projectName = aProjectName('conversation')
  const threadId = `thread ${randomUUID()}`
  const traces: SentTrace[] = []
  for (let at = 0; at < turns; at++) traces.push(await aTurn(client, projectName, threadId, at))
  await client.awaitPendingTraceBatches()
  const { id: projectId } = await client.readProject({ projectName })
  return { projectName, projectId, threadId, traces }
}

async function aTurn(client: Client, project_name: string, thread_id: string, at: number): Promise<SentTrace> {
  const metadata = { thread_id, turn: at }
  // Turns of one millisecond would have no order.
  const start_time = Date.now() - 60_000 + at * 1000
  const shared = { client, project_name, tracingEnabled: true, metadata, start_time }
  const root = new RunTree({
    ...shared,
    name: `turn ${at}`,
    run_type: 'chain',
    inputs: { question: `${at}?` },
    tags: ['e2e'],
  })
  await root.postRun()
  const llm = root.createChild({
    name: 'model',
    start_time: start_time + 1,
    run_type: 'llm',
    inputs: { messages: [{ role: 'user', content: `${at}?` }] },
  })
  await llm.postRun()
  const usage_metadata = {
    input_tokens: 20,
    output_tokens: 10,
    total_tokens: 30,
    input_token_details: { cache_read: 5 },
    input_cost: 0.5,
    output_cost: 0.25,
    total_cost: 0.75,
  }
  await llm.end({ content: `${at}!`, usage_metadata })
  await llm.patchRun()
  await root.end({ answer: `${at}!` })
  await root.patchRun()
  return { root, llm }
}
