import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage, isAIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain'
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { expectAsSent, withoutUnselected } from '../../support/expect-as-sent.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { type Tap, tapIngest } from '../../support/tap-ingest.ts'
import { aClient, aProjectName, collect } from './a-client.ts'

let server: SharedServer
let tap: Tap
beforeAll(async () => {
  server = await shareServer()
  tap = await tapIngest(server.url)
})
afterAll(async () => {
  await tap?.close()
  await server?.stop()
})

const weigh = tool(async ({ metal }: { metal: string }) => `${metal}: 19.3 g/cm³ ✓`, {
  name: 'weigh',
  description: 'Weighs a metal.',
  schema: z.object({ metal: z.string() }),
})

/** Calls the tool first, and answers once the tool has. */
class Assayer extends BaseChatModel {
  _llmType() {
    return 'assayer'
  }

  async _generate(messages: BaseMessage[]) {
    const message = new AIMessage('It is gold.')
    Object.assign(message, { usage_metadata: { input_tokens: 20, output_tokens: 10, total_tokens: 30 } })
    if (!messages.some((one) => one.type === 'tool')) {
      message.content = ''
      message.tool_calls = [{ name: 'weigh', args: { metal: 'gold' }, id: 'call-1' }]
    }
    return { generations: [{ text: String(message.content), message }] }
  }
}

/** A graph that asks a model, calls the tool the model names, and asks again. */
function anAgent() {
  const model = new Assayer({})
  return new StateGraph(MessagesAnnotation)
    .addNode('ask', async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
    .addNode('tools', new ToolNode([weigh]))
    .addEdge(START, 'ask')
    .addConditionalEdges('ask', ({ messages }) => {
      const last = messages.at(-1)!
      return isAIMessage(last) && last.tool_calls?.length ? 'tools' : END
    })
    .addEdge('tools', 'ask')
    .compile({ checkpointer: new MemorySaver(), name: 'agent' })
}

it('LangGraph for JavaScript records a graph with its model, its tool and its thread, each field as it was sent', async () => {
  const client = aClient(tap.url)
  const projectName = aProjectName('graph')
  const agent = anAgent()
  const config = (runName: string) => ({
    callbacks: [new LangChainTracer({ projectName, client })],
    runName,
    tags: ['assay'],
    configurable: { thread_id: `${projectName}-${runName}` },
  })
  const question = { messages: [new HumanMessage('Is it gold?')] }

  const said = await agent.invoke(question, config('invoke'))
  const steps = await collect(await agent.stream(question, { ...config('stream'), streamMode: 'updates' }))
  await client.awaitPendingTraceBatches()
  const runs = await collect(client.listRuns({ projectName }))

  expect(said.messages.at(-1)!.content).toBe('It is gold.')
  expect(steps.flatMap((step) => Object.keys(step))).toEqual(['ask', 'tools', 'ask'])
  expect(runs).toHaveLength(tap.runIds().length)
  for (const run of runs) expectAsSent({ ...run }, withoutUnselected(tap.sent(run.id)))
  const roots = runs.filter((run) => !run.parent_run_id)
  expect(roots.map((run) => run.name).sort()).toEqual(['invoke', 'stream'])
  for (const root of roots) {
    const inside = runs.filter((run) => run.trace_id === root.id)
    const names = inside.map((run) => `${run.run_type} ${run.name}`)
    expect(names.filter((name) => name.startsWith('llm'))).toEqual(Array(2).fill('llm Assayer'))
    expect(names).toEqual(expect.arrayContaining(['chain ask', 'chain tools', 'tool weigh']))
    expect(inside.map((run) => run.status)).toEqual(inside.map(() => 'success'))
    // Both calls of the model report 30.
    expect(root).toMatchObject({ total_tokens: 60, tags: expect.arrayContaining(['assay']) })
  }
  const threads = await client.listThreads({ projectName })
  expect(threads.map((thread) => thread.thread_id).sort()).toEqual([`${projectName}-invoke`, `${projectName}-stream`])
})
