import { createOpenAI as createOpenAI7 } from '@ai-sdk/openai'
import { traceable } from '@touchstone/sdk/traceable'
import { createLangSmithProviderOptions, wrapAISDK } from '@touchstone/sdk/wrappers/vercel'
import * as ai7 from 'ai'
import * as ai5 from 'ai-5'
import { createOpenAI as createOpenAI5 } from 'ai-5-openai'
import * as ai6 from 'ai-6'
import { createOpenAI as createOpenAI6 } from 'ai-6-openai'
import { Client as PublishedClient } from 'langsmith'
import { wrapAISDK as wrapPublished } from 'langsmith/experimental/vercel'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { FAKE_TEXT } from '../support/fake-provider.ts'
import {
  aProject,
  COST,
  costOf,
  drawTree,
  listRuns,
  metadataOf,
  type TracedProject,
  USAGE,
  useServerAndProvider,
} from './support/traced-project.ts'

const started = useServerAndProvider()
let project: TracedProject
beforeEach(() => {
  project = aProject(started.server)
})

/** The versions have the same functions with other types. */
type Module = typeof ai6
const VERSIONS: readonly [name: string, ai: Module, createOpenAI: typeof createOpenAI6][] = [
  ['AI SDK 5', ai5 as unknown as Module, createOpenAI5 as unknown as typeof createOpenAI6],
  ['AI SDK 6', ai6, createOpenAI6],
  ['AI SDK 7', ai7 as unknown as Module, createOpenAI7 as unknown as typeof createOpenAI6],
]

const ANSWER = FAKE_TEXT.join('')
/** What arrived before the end, which depends on how far a version reads ahead. */
const RECEIVED = expect.stringMatching(`^${FAKE_TEXT[0]}`) as unknown
const ASKED = { role: 'user' as const, content: 'Say hello' }
const ASKED_AS_PARTS = { role: 'user', content: [{ type: 'text', text: 'Say hello' }] }
const TOOL_ASKED = { role: 'user' as const, content: 'Use a tool please' }
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }
const ANSWERED = { role: 'assistant', content: [{ type: 'text', text: ANSWER }] }
const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] }
const CITY = { city: 'Zürich' }

describe.each(VERSIONS)('%s', (_, ai, createOpenAI) => {
  const aModel = (id = 'fake-model') => createOpenAI({ apiKey: 'none', baseURL: started.provider.url }).chat(id)
  const wrapped = (config = {}) => wrapAISDK(ai, { ...project.settings, ...config })
  const aWeather = (execute = async ({ city }: { city: string }): Promise<unknown> => ({ city, sky: 'grey' })) =>
    ai.tool({ description: 'The weather', inputSchema: ai.jsonSchema<{ city: string }>(SCHEMA), execute })
  const upTo3 = ai.stepCountIs?.(3) ?? (ai as unknown as typeof ai7).isStepCount(3)
  const Agent = (sdk: Module) => sdk.ToolLoopAgent ?? sdk.Experimental_Agent
  const agentName = Agent(ai).name

  it('stores a whole and a streamed text equally, with messages, parameters, usage, cost and first token', async () => {
    const { generateText, streamText } = wrapped({ metadata: { thread_id: 'thread-1' } })
    const request = { system: 'Be short.', messages: [ASKED], temperature: 0.5, maxOutputTokens: 64 }
    const whole = await generateText({ model: aModel(), ...request })
    const streamed = streamText({ model: aModel(), ...request })
    let text = ''
    for await (const piece of streamed.textStream) text += piece
    expect([whole.text, text]).toEqual([ANSWER, ANSWER])

    const runs = await project.runs()
    const tree = ['chain openai.chat', 'chain openai.chat > llm openai.chat']
    expect(drawTree(runs)).toEqual([...tree, ...tree])
    for (const [at, root] of [runs[0], runs[2]].entries()) {
      const call = runs[at * 2 + 1]
      expect(root).toMatchObject({ status: 'success', inputs: request, outputs: ANSWERED })
      expect(metadataOf(root)).toMatchObject({
        ai_sdk_method: at === 0 ? 'ai.generateText' : 'ai.streamText',
        ls_integration: 'vercel-ai-sdk',
        ls_agent_type: 'root',
      })
      expect(call?.inputs.messages).toEqual([{ role: 'system', content: 'Be short.' }, ASKED_AS_PARTS])
      expect(call?.inputs).toMatchObject({ temperature: 0.5, maxOutputTokens: 64 })
      expect(call?.outputs).toMatchObject({ ...ANSWERED, usage_metadata: USAGE })
      expect(metadataOf(call)).toMatchObject({
        ls_provider: 'openai',
        ls_model_type: 'chat',
        ls_model_name: 'fake-model',
        ls_temperature: 0.5,
        ls_max_tokens: 64,
        thread_id: 'thread-1',
        usage_metadata: USAGE,
      })
      // Counted once: the root has what its call used.
      for (const run of [root, call]) {
        expect(run).toMatchObject({ prompt_tokens: USAGE.input_tokens, completion_tokens: USAGE.output_tokens })
        expect(costOf(run)).toBeCloseTo(COST, 9)
      }
      expect(Boolean(call?.first_token_time)).toBe(at === 1)
    }
    expect(runs[3]?.outputs).toEqual(runs[1]?.outputs)
    expect(runs[3]?.events?.filter(({ name }) => name === 'new_token')).toHaveLength(1)
    expect(JSON.stringify(runs)).not.toContain('user-agent')
  })

  it('stores tools: their definition, the call, its run, its result in the next call', async () => {
    const { generateText, streamText } = wrapped()
    const request = { messages: [TOOL_ASKED], tools: { weather: aWeather() }, stopWhen: upTo3 }
    await generateText({ model: aModel(), ...request })
    await streamText({ model: aModel(), ...request }).consumeStream()

    const runs = await project.runs()
    const root = 'chain openai.chat'
    const tree = [root, `${root} > llm openai.chat`, `${root} > tool weather`, `${root} > llm openai.chat`]
    expect(drawTree(runs)).toEqual([...tree, ...tree])
    for (const [outer, first, tool, second] of [runs.slice(0, 4), runs.slice(4)]) {
      const parameters = expect.objectContaining({ properties: SCHEMA.properties }) as unknown
      const definition = { type: 'function', function: { name: 'weather', description: 'The weather', parameters } }
      expect(first?.inputs).toMatchObject({ tools: [definition], messages: [{ role: 'user' }] })
      expect(first?.outputs).toMatchObject({ role: 'assistant', content: null, tool_calls: [CALL] })
      expect(tool).toMatchObject({ inputs: CITY, outputs: { city: 'Zürich', sky: 'grey' }, status: 'success' })
      expect(metadataOf(tool)).toMatchObject({ tool_call_id: 'call_1' })
      expect(second?.inputs.messages.slice(1)).toEqual([
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', name: 'weather', content: '{"city":"Zürich","sky":"grey"}' },
      ])
      expect(outer?.outputs).toEqual(ANSWERED)
      expect(costOf(outer)).toBeCloseTo(2 * COST, 9)
    }
  })

  it('nests traced functions of tools, and is nested in traced functions', async () => {
    const { streamText } = wrapped()
    const look = traceable(async (city: string) => `${city} is grey`, { name: 'look' })
    const weather = aWeather(async ({ city }) => ({ sky: await look(city) }))
    const answer = traceable(
      async () =>
        await streamText({ model: aModel(), messages: [TOOL_ASKED], tools: { weather }, stopWhen: upTo3 }).text,
      { ...project.settings, name: 'answer' },
    )
    expect(await answer()).toBe(ANSWER)
    const root = 'chain answer > chain openai.chat'
    expect(drawTree(await project.runs())).toEqual([
      'chain answer',
      root,
      `${root} > llm openai.chat`,
      `${root} > tool weather`,
      `${root} > tool weather > chain look`,
      `${root} > llm openai.chat`,
    ])
  })

  it('stores objects, whole and streamed', async () => {
    const { generateObject, streamObject } = wrapped()
    const request = { prompt: 'Which city?', schema: ai.jsonSchema<{ city: string }>(SCHEMA) }
    expect((await generateObject({ model: aModel(), ...request })).object).toEqual(CITY)
    const streamed = streamObject({ model: aModel(), ...request })
    for await (const _ of streamed.partialObjectStream);
    expect(await streamed.object).toEqual(CITY)
    const runs = await project.runs()
    expect(runs).toHaveLength(4)
    for (const [root, call] of [runs.slice(0, 2), runs.slice(2)]) {
      expect(root).toMatchObject({ status: 'success', inputs: { prompt: 'Which city?' }, outputs: CITY })
      expect(call?.outputs).toMatchObject({ content: [{ type: 'text', text: '{"city":"Zürich"}' }] })
      expect(call?.inputs).toMatchObject({ responseFormat: { type: 'json', schema: { required: ['city'] } } })
      expect(costOf(root)).toBeCloseTo(COST, 9)
    }
    expect(runs[3]?.first_token_time).toBeTruthy()
  })

  it('stores agents, and the model and the tools that a step chooses', async () => {
    const Traced = Agent(wrapped())
    const prepared = vi.fn(() => ({ model: aModel('fake-reasoning') }))
    const agent = new Traced({
      model: aModel(),
      // The names of versions 6 and 7, and of version 5.
      ...({ instructions: 'Be short.', system: 'Be short.' } as { instructions: string }),
      tools: { weather: aWeather() },
      stopWhen: upTo3,
      prepareStep: ({ stepNumber }: { stepNumber: number }) => (stepNumber === 1 ? prepared() : {}),
    })
    expect(agent).toBeInstanceOf(Agent(ai))
    expect((await agent.generate({ messages: [TOOL_ASKED] })).text).toBe(ANSWER)
    const streamed = await agent.stream({ messages: [TOOL_ASKED] })
    let text = ''
    for await (const piece of streamed.textStream) text += piece
    expect([text, prepared.mock.calls.length]).toEqual([ANSWER, 2])

    const runs = await project.runs()
    const root = `chain ${agentName}`
    const tree = [root, `${root} > llm openai.chat`, `${root} > tool weather`, `${root} > llm openai.chat`]
    expect(drawTree(runs)).toEqual([...tree, ...tree])
    for (const [at, group] of [runs.slice(0, 4), runs.slice(4)].entries()) {
      const [outer, first, , second] = group
      expect(outer).toMatchObject({ status: 'success', inputs: { messages: [TOOL_ASKED] } })
      expect(metadataOf(outer)).toMatchObject({ ai_sdk_method: `ai.${agentName}.${at === 0 ? 'generate' : 'stream'}` })
      expect(first?.inputs.messages).toMatchObject([{ role: 'system', content: 'Be short.' }, { role: 'user' }])
      expect(metadataOf(second)).toMatchObject({ ls_model_name: 'fake-reasoning' })
      expect(outer?.outputs?.content).toContainEqual({ type: 'text', text: ANSWER })
    }
  })

  it('stores failures: of the model, in a stream, of a tool, of an agent', async () => {
    const sdk = wrapped()
    const failing = { model: aModel('fake-forbidden'), prompt: 'Hi', maxRetries: 0 }
    await expect(sdk.generateText(failing)).rejects.toThrow('excluded')
    const onError = vi.fn()
    await sdk.streamText({ ...failing, onError }).consumeStream()
    expect(onError).toHaveBeenCalledOnce()
    const agent = new (Agent(sdk))({ ...failing, ...({ onError } as object) })
    await (await agent.stream({ prompt: 'Hi' })).consumeStream()
    const weather = aWeather(() => Promise.reject(new Error('no satellite')))
    await sdk.generateText({ model: aModel(), messages: [TOOL_ASKED], tools: { weather }, stopWhen: upTo3 })

    const runs = await project.runs()
    for (const run of runs.slice(0, 6)) {
      expect([run.status, run.error]).toEqual(['error', expect.stringContaining('Your region is excluded.')])
    }
    expect(runs.slice(6).map(({ status, run_type }) => `${run_type} ${status}`)).toEqual([
      'chain success',
      'llm success',
      'tool error',
      'llm success',
    ])
    expect(runs[8]?.error).toContain('no satellite')
  })

  it('ends a stream that is aborted or not read to its end, and calls the callbacks of the user', async () => {
    const { streamText } = wrapped()
    const [onFinish, onAbort] = [vi.fn(), vi.fn()]
    await streamText({ model: aModel(), prompt: 'Hi', onFinish }).consumeStream()
    expect(onFinish).toHaveBeenCalledWith(expect.objectContaining({ text: ANSWER }))
    const aborting = new AbortController()
    const aborted = streamText({ model: aModel('fake-stall'), prompt: 'Hi', abortSignal: aborting.signal, onAbort })
    for await (const part of aborted.fullStream) if (part.type === 'text-delta') aborting.abort()
    expect(onAbort).toHaveBeenCalledOnce()
    for await (const _ of streamText({ model: aModel('fake-stall'), prompt: 'Hi' }).textStream) break

    const [finished, , ...others] = await project.runs()
    expect(finished).toMatchObject({ status: 'success' })
    expect(others).toHaveLength(4)
    for (const run of others) expect(run.end_time).toBeTruthy()
    for (const run of [others[0], others[2]]) {
      expect(run).toMatchObject({ error: 'Cancelled', outputs: { content: [{ type: 'text', text: RECEIVED }] } })
    }
    expect(others[3]?.error).toBe('Cancelled')
  })

  it('takes settings of one call, which the provider does not get, and hides what its client hides', async () => {
    const langsmith = createLangSmithProviderOptions<Module['generateText']>({
      name: 'draft',
      tags: ['one'],
      metadata: { step: 1 },
      processInputs: ({ prompt }) => ({ prompt: `${String(prompt).length} characters` }),
      processOutputs: ({ outputs }) => ({ length: outputs.text.length }),
      processChildLLMRunInputs: ({ prompt }: { prompt: unknown[] }) => ({ messages: prompt.length }),
      processChildLLMRunOutputs: () => ({ hidden: true }),
    })
    await wrapped({ tags: ['all'] }).generateText({ model: aModel(), prompt: 'Hi', providerOptions: { langsmith } })
    const [root, call] = await project.runs()
    expect(root).toMatchObject({
      name: 'draft',
      inputs: { prompt: '2 characters' },
      outputs: { length: ANSWER.length },
    })
    expect(root?.tags?.toSorted()).toEqual(['all', 'one'])
    expect(metadataOf(root)).toMatchObject({ step: 1 })
    expect([call?.inputs, call?.outputs]).toEqual([{ messages: 1 }, { hidden: true }])
    expect(call?.total_tokens).toBe(USAGE.total_tokens)
    expect(started.provider.heard.at(-1)?.text).not.toContain('draft')

    project = aProject(started.server, { hideInputs: true, hideOutputs: true })
    await wrapped().streamText({ model: aModel(), prompt: 'Hi' }).consumeStream()
    const [hidden, inner] = await project.runs()
    for (const run of [hidden, inner]) expect([run?.inputs, run?.outputs]).toEqual([{}, {}])
    expect(costOf(inner)).toBeCloseTo(COST, 9)
  })

  it('calls straight through while tracing is off', async () => {
    const sdk = wrapped({ tracingEnabled: false })
    expect((await sdk.generateText({ model: aModel(), prompt: 'Hi' })).text).toBe(ANSWER)
    expect(await sdk.streamText({ model: aModel(), prompt: 'Hi' }).text).toBe(ANSWER)
    expect((await new (Agent(sdk))({ model: aModel() }).generate({ prompt: 'Hi' })).text).toBe(ANSWER)
    expect(sdk.tool).toBe(ai.tool)
    await project.client.createProject({ projectName: project.name })
    expect(await project.runs()).toEqual([])
  })

  it('stores what the wrapper of the public package stores for the same calls', async () => {
    const published = `published ${project.name}`
    const client = new PublishedClient({ apiUrl: started.server.url, apiKey: 'any' })
    const theirs = wrapPublished(ai, { client, project_name: published, tracingEnabled: true })
    const request = { messages: [TOOL_ASKED], tools: { weather: aWeather() }, stopWhen: upTo3 }
    for (const sdk of [theirs, wrapped()]) {
      await sdk.generateText({ model: aModel(), system: 'Be short.', messages: [ASKED], temperature: 0.5 })
      await sdk.streamText({ model: aModel(), ...request }).consumeStream()
    }
    await client.awaitPendingTraceBatches()
    const [own, others] = [await project.runs(), await listRuns(project.client, published)]
    expect(drawTree(own)).toEqual(drawTree(others))
    for (const [at, run] of own.entries()) {
      const other = others[at]
      expect(run.prompt_tokens).toBe(other?.prompt_tokens)
      expect(run.completion_tokens).toBe(other?.completion_tokens)
      for (const key of ['ai_sdk_method', 'ls_integration', 'ls_agent_type', 'usage_metadata', 'ls_model_name']) {
        expect(metadataOf(run)?.[key], key).toEqual(metadataOf(other)?.[key])
      }
      expect(Boolean(run.first_token_time)).toBe(Boolean(other?.first_token_time))
    }
    for (const at of [0, 2]) expect(own[at]?.inputs).toEqual(others[at]?.inputs)
    expect(own[0]?.outputs).toEqual(others[0]?.outputs)
    // Of a streamed call, version 7 reports the content of all steps together; ours is the answer of the last one.
    expect(others[2]?.outputs?.content).toEqual(expect.arrayContaining(own[2]?.outputs?.content as unknown[]))
    const messagesOf = (at: number) => [own[at]?.inputs.messages, others[at]?.inputs.messages]
    expect(messagesOf(1)[0]).toEqual(messagesOf(1)[1])
    expect(own[3]?.outputs?.tool_calls).toEqual(others[3]?.outputs?.tool_calls)
    expect(own[4]?.outputs).toEqual(others[4]?.outputs)
  })
})
