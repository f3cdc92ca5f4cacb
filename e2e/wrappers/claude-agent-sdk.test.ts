import { readFileSync } from 'node:fs'
import { traceable } from '@touchstone/sdk/traceable'
import { wrapClaudeAgentSDK } from '@touchstone/sdk/wrappers/claude_agent_sdk'
import { Client as PublishedClient } from 'langsmith'
import { wrapClaudeAgentSDK as wrapPublished } from 'langsmith/experimental/anthropic'
import { beforeEach, describe, expect, it } from 'vitest'
import { FAKE_TEXT } from '../support/fake-provider.ts'
import {
  aProject,
  COST,
  costOf,
  drawTree,
  listRuns,
  metadataOf,
  type TracedProject,
  useServerAndProvider,
} from './support/traced-project.ts'

type Message = Record<string, unknown> & { type: string }
type Handler = (input: unknown, extra: unknown) => Promise<unknown>

/**
 * The messages of the package 0.3.332 with its CLI 2.1.332, which asked the provider of these tests: without and with
 * partial messages. The CLI is a program of 400 MB with a license of its own, so it is not a dependency of the tests.
 */
const RECORDED = JSON.parse(readFileSync(new URL('recorded/claude-agent-sdk.json', import.meta.url), 'utf8')) as Record<
  'whole' | 'partial',
  readonly Message[]
>

const started = useServerAndProvider()
let project: TracedProject
beforeEach(() => {
  project = aProject(started.server)
})

/** A module with the interface of the SDK that replays messages, and calls its tools where the CLI does. */
function aModule(messages: readonly (Message | Error)[], ids: { passed: boolean } = { passed: true }) {
  const handlers = new Map<string, Handler>()
  async function* replay(prompt: unknown): AsyncGenerator<Message> {
    if (typeof prompt !== 'string') for await (const _ of prompt as AsyncIterable<unknown>);
    for (const message of messages) {
      if (message instanceof Error) throw message
      const blocks = (message.message as { content?: unknown } | undefined)?.content
      const calls = (Array.isArray(blocks) ? (blocks as Message[]) : []).filter(({ type }) => type === 'tool_use')
      yield message
      for (const { id, name, input } of calls) {
        const _meta = ids.passed ? { 'claudecode/toolUseId': id } : undefined
        await handlers.get(String(name).replace(/^mcp__\w+?__/, ''))?.(input, { _meta })
      }
    }
  }
  return {
    query: ({ prompt }: { prompt: unknown; options?: object }) =>
      Object.assign(replay(prompt), { interrupt: async () => 'interrupted' }),
    tool(name: string, description: string, _schema: object, handler: Handler) {
      handlers.set(name, handler)
      return { name, description }
    },
    createSdkMcpServer: (options: object) => options,
  }
}

const wrapped = (module: ReturnType<typeof aModule>) => wrapClaudeAgentSDK(module, project.settings)
const ASKED = {
  prompt: 'Use a tool please',
  options: { model: 'fake-model', systemPrompt: 'Be short.', env: { KEY: 'k' } },
}
const ROOT = 'chain claude.conversation'
const TREE = [
  ROOT,
  `${ROOT} > llm claude.assistant.turn`,
  `${ROOT} > tool mcp__sky__weather`,
  `${ROOT} > tool mcp__sky__weather > chain look`,
  `${ROOT} > llm claude.assistant.turn`,
]
const look = traceable(async (city: string) => `${city} is grey`, { name: 'look' })

function addWeather({ tool }: ReturnType<typeof aModule>) {
  const handler: Handler = async (input) => ({ text: await look((input as { city: string }).city) })
  tool('weather', 'The weather', {}, handler)
}

describe('a query of the Claude Agent SDK', () => {
  it.each(['whole', 'partial'] as const)(
    'is stored with calls, tools, thread, usage and cost (%s messages)',
    async (kind) => {
      const sdk = wrapped(aModule(RECORDED[kind]))
      addWeather(sdk)
      const seen: Message[] = []
      const query = sdk.query(ASKED)
      expect(await query.interrupt()).toBe('interrupted')
      for await (const message of query) seen.push(message)
      expect(seen).toEqual(RECORDED[kind])

      const runs = await project.runs()
      expect(drawTree(runs)).toEqual(TREE)
      const [root, first, tool, , last] = runs
      const messages = [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Use a tool please' },
      ]
      const call = { type: 'tool_use', id: 'call_1', name: 'mcp__sky__weather', input: { city: 'Zürich' } }
      const answer = FAKE_TEXT.join('')
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']))
      expect(root?.inputs).toEqual({ messages, options: { model: 'fake-model' } })
      expect(root?.outputs).toEqual({ role: 'assistant', content: answer })
      expect(metadataOf(root)).toMatchObject({
        ls_integration: 'claude-agent-sdk-js',
        thread_id: RECORDED[kind][0]?.session_id,
        num_turns: 2,
        tools: ['mcp__sky__weather'],
      })
      expect(first).toMatchObject({ inputs: { messages }, outputs: { role: 'assistant', content: [call] } })
      expect(tool).toMatchObject({ inputs: { city: 'Zürich' }, outputs: { content: [{ text: 'Zürich is grey' }] } })
      expect(last?.inputs.messages.slice(2)).toMatchObject([
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
      ])
      expect(last?.outputs).toMatchObject({ content: [{ type: 'text', text: answer }] })
      for (const one of [first, last]) {
        expect(metadataOf(one)).toMatchObject({ ls_provider: 'anthropic', ls_model_name: 'fake-model' })
        expect(metadataOf(one)).not.toHaveProperty('tools')
        expect(Boolean(one?.first_token_time)).toBe(kind === 'partial')
      }
      // Without partial messages the SDK reports only the sum of the answers.
      expect(first?.completion_tokens).toBe(kind === 'partial' ? 10 : 1)
      expect(root).toMatchObject({ prompt_tokens: 40, completion_tokens: 20 })
      expect(costOf(root)).toBeCloseTo(2 * COST, 9)
    },
  )

  it('finds the run of a tool without the id of its call, and records prompts that come as a stream', async () => {
    const sdk = wrapped(aModule(RECORDED.whole, { passed: false }))
    addWeather(sdk)
    async function* prompts() {
      yield { type: 'user', message: { role: 'user', content: 'Use a tool please' } }
    }
    for await (const _ of sdk.query({ prompt: prompts() }));
    const runs = await project.runs()
    expect(drawTree(runs)).toEqual(TREE)
    for (const run of runs.slice(0, 2)) {
      expect(run.inputs.messages).toEqual([{ role: 'user', content: 'Use a tool please' }])
    }
  })

  it('nests a subagent below the tool that started it', async () => {
    const [init, , , , result] = RECORDED.whole
    const answer = (id: string, content: object[], parent: string | null = null) => {
      const usage = { input_tokens: 15, cache_read_input_tokens: 5, output_tokens: 10 }
      return { type: 'assistant', parent_tool_use_id: parent, message: { id, model: 'fake-model', content, usage } }
    }
    const messages = [
      init,
      answer('a', [{ type: 'tool_use', id: 'task_1', name: 'Task', input: { prompt: 'Look it up' } }]),
      answer('b', [{ type: 'tool_use', id: 'read_1', name: 'Read', input: { path: 'a.txt' } }], 'task_1'),
      {
        type: 'user',
        parent_tool_use_id: 'task_1',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'read_1', content: 'no file', is_error: true }],
        },
      },
      answer('c', [{ type: 'text', text: 'Not found' }], 'task_1'),
      {
        type: 'user',
        parent_tool_use_id: null,
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'task_1', content: 'Not found' }] },
      },
      answer('d', [{ type: 'text', text: 'Sorry' }]),
      result,
    ] as Message[]
    for await (const _ of wrapped(aModule(messages)).query(ASKED));
    const runs = await project.runs()
    const turn = 'llm claude.assistant.turn'
    expect(drawTree(runs)).toEqual([
      ROOT,
      `${ROOT} > ${turn}`,
      `${ROOT} > tool Task`,
      `${ROOT} > tool Task > ${turn}`,
      `${ROOT} > tool Task > tool Read`,
      `${ROOT} > tool Task > ${turn}`,
      `${ROOT} > ${turn}`,
    ])
    expect(runs[3]?.inputs.messages).toEqual([{ role: 'user', content: 'Look it up' }])
    expect(runs[4]).toMatchObject({ status: 'error', error: 'no file' })
  })

  it('stores failures and queries that are stopped, and hides what its client hides', async () => {
    const failed = RECORDED.whole.map((message) =>
      message.type === 'result'
        ? { ...message, subtype: 'error_max_turns', is_error: true, result: undefined }
        : message,
    )
    for await (const _ of wrapped(aModule(failed)).query(ASKED));
    const thrown = wrapped(aModule([...RECORDED.whole.slice(0, 2), new Error('the process ended')]))
    const read = async () => {
      for await (const _ of thrown.query(ASKED));
    }
    await expect(read()).rejects.toThrow('the process ended')
    for await (const { type } of wrapped(aModule(RECORDED.whole)).query(ASKED)) if (type === 'assistant') break
    const runs = await project.runs()
    const roots = runs.filter(({ parent_run_id }) => !parent_run_id)
    expect(roots.map(({ error }) => error?.split('\n')[0])).toEqual([
      'error_max_turns',
      'Error: the process ended',
      'Cancelled',
    ])
    for (const run of runs) expect(run.end_time, run.name).toBeTruthy()

    project = aProject(started.server, { hideInputs: true, hideOutputs: true })
    for await (const _ of wrapped(aModule(RECORDED.whole)).query(ASKED));
    const hidden = await project.runs()
    for (const run of hidden) expect([run.inputs, run.outputs], run.name).toEqual([{}, {}])
    expect(costOf(hidden[0])).toBeCloseTo(2 * COST, 9)
  })

  it('has the names and the sums of the wrapper of the public package', async () => {
    const published = `published ${project.name}`
    const client = new PublishedClient({ apiUrl: started.server.url, apiKey: 'any' })
    const theirs = wrapPublished(aModule(RECORDED.whole), { client, project_name: published, tracingEnabled: true })
    for await (const _ of theirs.query(ASKED));
    for await (const _ of wrapped(aModule(RECORDED.whole)).query(ASKED));
    await client.awaitPendingTraceBatches()
    const [own, others] = [await project.runs(), await listRuns(project.client, published)]
    expect(new Set(drawTree(own))).toEqual(new Set(drawTree(others)))
    for (const field of ['name', 'run_type', 'prompt_tokens', 'completion_tokens'] as const) {
      expect(own[0]?.[field], field).toEqual(others[0]?.[field])
    }
    for (const key of ['ls_integration', 'ls_agent_type', 'thread_id', 'session_id', 'num_turns']) {
      expect(metadataOf(own[0])?.[key], key).toEqual(metadataOf(others[0])?.[key])
    }
  })
})
