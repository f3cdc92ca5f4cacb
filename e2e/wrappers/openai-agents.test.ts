import {
  Agent,
  type AgentInputItem,
  getGlobalTraceProvider,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  withCustomSpan,
  withTrace,
} from '@openai/agents'
import type { Run } from '@touchstone/sdk/schemas'
import { traceable } from '@touchstone/sdk/traceable'
import { OpenAIAgentsTracingProcessor } from '@touchstone/sdk/wrappers/openai_agents'
import OpenAI from 'openai'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { FAKE_TEXT } from '../support/fake-provider.ts'
import {
  aProject,
  COST,
  costOf,
  drawTree,
  metadataOf,
  type TracedProject,
  USAGE,
  useServerAndProvider,
} from './support/traced-project.ts'

const started = useServerAndProvider()
let project: TracedProject
/** The SDK has a version of the client of its own. */
let openai: ConstructorParameters<typeof OpenAIResponsesModel>[0]
beforeEach(() => {
  project = aProject(started.server)
  openai = new OpenAI({ apiKey: 'none', baseURL: started.provider.url, maxRetries: 0 }) as unknown as typeof openai
  traceTo(project)
})
// The SDK does not trace in tests by itself.
setTracingDisabled(false)
afterAll(() => setTraceProcessors([]))

function traceTo({ client, name }: TracedProject) {
  const options = { client, projectName: name, metadata: { team: 'search' }, tags: ['agents'] }
  setTraceProcessors([new OpenAIAgentsTracingProcessor(options)])
}

const ANSWER = FAKE_TEXT.join('')
const MODELS = {
  responses: (id = 'fake-model') => new OpenAIResponsesModel(openai, id),
  chat: (id = 'fake-model') => new OpenAIChatCompletionsModel(openai, id),
}
const look = traceable(async (city: string) => `${city} is grey`, { name: 'look' })
const weather = () =>
  tool({
    name: 'weather',
    description: 'The weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    strict: true,
    execute: async (input) => ({ sky: await look((input as { city: string }).city) }),
  })

const ROOT = 'chain Agent workflow'
const AGENT = `${ROOT} > chain Agent workflow > chain Assistant`
const ASKED: AgentInputItem[] = [{ role: 'user', content: 'Use a tool please' }]

describe.each(['responses', 'chat'] as const)('an agent on the API of %s', (kind) => {
  const call = kind === 'chat' ? 'generation' : 'response'
  const textOf = ({ outputs }: Run): unknown =>
    kind === 'chat' ? outputs?.choices[0].message.content : outputs?.output[0].content[0].text

  it.each([false, true])('is stored with its turns, calls, tools and usage (stream: %s)', async (stream) => {
    const agent = new Agent({
      name: 'Assistant',
      instructions: 'Be short.',
      model: MODELS[kind](),
      tools: [weather()],
      modelSettings: { temperature: 0.5 },
    })
    if (stream) {
      const streamed = await run(agent, ASKED, { stream: true })
      for await (const _ of streamed);
      await streamed.completed
      expect(streamed.finalOutput).toBe(ANSWER)
    } else expect((await run(agent, ASKED)).finalOutput).toBe(ANSWER)

    const runs = await project.runs()
    expect(drawTree(runs)).toEqual([
      ROOT,
      `${ROOT} > chain Agent workflow`,
      AGENT,
      `${AGENT} > chain turn 1`,
      `${AGENT} > chain turn 1 > llm ${call}`,
      `${AGENT} > chain turn 1 > tool weather`,
      `${AGENT} > chain turn 1 > tool weather > chain look`,
      `${AGENT} > chain turn 2`,
      `${AGENT} > chain turn 2 > llm ${call}`,
    ])
    const [root, , assistant, , first, called, , , last] = runs as [Run, Run, Run, Run, Run, Run, Run, Run, Run]
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']))
    expect(root.tags).toEqual(['agents'])
    expect(metadataOf(root)).toMatchObject({
      ls_integration: 'openai-agents-sdk',
      ls_agent_type: 'root',
      team: 'search',
    })
    expect([root.inputs, textOf(root)]).toEqual([first.inputs, ANSWER])
    expect(textOf(last)).toBe(ANSWER)
    expect(metadataOf(assistant)).toMatchObject({ tools: ['weather'] })
    for (const one of [first, last]) {
      expect(one.outputs?.usage_metadata).toEqual(USAGE)
      expect(metadataOf(one)).toMatchObject({ ls_provider: 'openai', ls_model_name: 'fake-model' })
      expect(metadataOf(one)).not.toHaveProperty('tools')
      expect(costOf(one)).toBeCloseTo(COST, 9)
    }
    expect(costOf(root)).toBeCloseTo(2 * COST, 9)
    expect([called.inputs, called.outputs]).toEqual([{ city: 'Zürich' }, { sky: 'Zürich is grey' }])
    const result = '{"sky":"Zürich is grey"}'
    if (kind === 'chat') {
      expect(first.outputs?.choices[0].message.tool_calls).toMatchObject([
        { id: 'call_1', function: { name: 'weather' } },
      ])
      expect(first.inputs.messages[0]).toEqual({ role: 'system', content: 'Be short.' })
      expect(last.inputs.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1', content: result })
      expect(metadataOf(first)).toMatchObject({ ls_temperature: 0.5 })
    } else {
      expect(first.outputs?.output).toMatchObject([{ type: 'function_call', call_id: 'call_1', name: 'weather' }])
      expect(last.inputs.input.at(-1)).toEqual({ type: 'function_call_output', call_id: 'call_1', output: result })
    }
  })

  it('is stored with the error of the model, and its trace ends', async () => {
    const agent = new Agent({ name: 'Assistant', model: MODELS[kind]('fake-forbidden') })
    await expect(run(agent, 'Hi')).rejects.toThrow('excluded')
    const runs = await project.runs()
    expect(runs).toHaveLength(5)
    for (const one of runs) expect([one.status, one.error]).toEqual(['error', expect.stringContaining('excluded')])
  })
})

describe('the processor of the OpenAI Agents SDK', () => {
  const plain = (model = MODELS.responses()) => new Agent({ name: 'Assistant', model })

  it('keeps runs that follow one another apart, and nests those inside of a traced function', async () => {
    await run(plain(), 'Hi')
    await Promise.all([run(plain(), 'Hi'), run(plain(), 'Hi')])
    const outer = traceable(async () => (await run(plain(), 'Hi')).finalOutput, { ...project.settings, name: 'outer' })
    expect(await outer()).toBe(ANSWER)
    const after = traceable(async () => 'done', { ...project.settings, name: 'after' })
    await after()
    const runs = await project.runs()
    const roots = runs.filter(({ parent_run_id }) => !parent_run_id)
    expect(drawTree(roots)).toEqual([ROOT, ROOT, ROOT, 'chain outer', 'chain after'])
    expect(drawTree(runs)).toContain(`chain outer > ${AGENT} > chain turn 1 > llm response`)
  })

  it('stores threads, custom spans, handoffs, guardrails and failed tools', async () => {
    const step = () =>
      withCustomSpan(() => run(plain(), 'Hi'), { data: { name: 'step', data: { input: 'Hi', part: 1 } } })
    await withTrace('conversation', step, { groupId: 'thread-1', metadata: { user: 'ada' } })
    await run(new Agent({ name: 'Triage', model: MODELS.responses(), handoffs: [plain()] }), ASKED)
    const guard = { name: 'no greetings', execute: async () => ({ outputInfo: {}, tripwireTriggered: true }) }
    const guarded = new Agent({ name: 'Guarded', model: MODELS.responses(), inputGuardrails: [guard] })
    await expect(run(guarded, 'Hi')).rejects.toThrow('guardrail')
    const failing = Object.assign(weather(), { invoke: () => Promise.reject(new Error('no satellite')) })
    await run(new Agent({ name: 'Failing', model: MODELS.responses(), tools: [failing] }), ASKED).catch(() => undefined)

    const runs = await project.runs()
    const find = (name: string) => runs.find((one) => one.name === name)
    expect(metadataOf(find('conversation'))).toMatchObject({ thread_id: 'thread-1', user: 'ada' })
    expect(find('step')).toMatchObject({ inputs: { input: 'Hi' }, parent_run_id: find('conversation')?.id })
    expect(metadataOf(runs.find(({ run_type }) => run_type === 'llm'))).toMatchObject({ thread_id: 'thread-1' })
    expect(find('handoff')).toMatchObject({ inputs: { from_agent: 'Triage' }, outputs: { to_agent: 'Assistant' } })
    expect(find('no greetings')).toMatchObject({ run_type: 'tool', outputs: { triggered: true } })
    expect(find('weather')).toMatchObject({ run_type: 'tool', status: 'error' })
    for (const one of runs) expect(one.end_time, one.name).toBeTruthy()
  })

  it('hides what its client hides, keeps usage, and flushes', async () => {
    project = aProject(started.server, { hideInputs: true, hideOutputs: true, manualFlushMode: true })
    traceTo(project)
    await run(plain(), 'Hi')
    await getGlobalTraceProvider().forceFlush()
    const runs = await project.runs()
    for (const one of runs) expect([one.inputs, one.outputs], one.name).toEqual([{}, {}])
    expect(costOf(runs.at(-1))).toBeCloseTo(COST, 9)
  })
})
