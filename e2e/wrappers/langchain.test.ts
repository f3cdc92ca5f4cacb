import { StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { RunnableLambda, RunnableParallel } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { getCurrentRunTree, traceable } from '@touchstone/sdk/traceable'
import { wrapOpenAI } from '@touchstone/sdk/wrappers'
import OpenAI from 'openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { FAKE_TEXT } from '../support/fake-provider.ts'
import { aProject, COST, costOf, drawTree, type TracedProject, useServerAndProvider } from './support/traced-project.ts'

const started = useServerAndProvider()
let project: TracedProject
beforeEach(() => {
  project = aProject(started.server)
})

const ANSWER = FAKE_TEXT.join('')
const aModel = (model = 'fake-model') =>
  new ChatOpenAI({ model, apiKey: 'none', maxRetries: 0, configuration: { baseURL: started.provider.url } })
const traced = <T>(name: string, call: () => Promise<T>) => traceable(call, { ...project.settings, name })
const look = traceable(async (city: string) => `${city} is grey`, { name: 'look' })

describe('LangChain without callbacks', () => {
  it('nests a chain in a traced function, and traced functions and wrapped clients in a runnable', async () => {
    const openai = wrapOpenAI(new OpenAI({ apiKey: 'none', baseURL: started.provider.url }))
    const messages = [{ role: 'user' as const, content: 'Say hello' }]
    const step = RunnableLambda.from(async ({ city }: { city: string }) => {
      await openai.chat.completions.create({ model: 'fake-model', messages })
      return { question: await look(city) }
    }).withConfig({ runName: 'step' })
    const chain = step
      .pipe(ChatPromptTemplate.fromMessages([['user', '{question}?']]))
      .pipe(aModel())
      .pipe(new StringOutputParser())
    expect(await traced('outer', () => chain.invoke({ city: 'Bern' }))()).toBe(ANSWER)

    const runs = await project.runs()
    const chainPath = 'chain outer > chain RunnableSequence'
    expect(drawTree(runs)).toEqual([
      'chain outer',
      chainPath,
      `${chainPath} > chain step`,
      `${chainPath} > chain step > llm ChatOpenAI`,
      `${chainPath} > chain step > chain look`,
      `${chainPath} > prompt ChatPromptTemplate`,
      `${chainPath} > llm ChatOpenAI`,
      `${chainPath} > parser StrOutputParser`,
    ])
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']))
    expect(costOf(runs[0])).toBeCloseTo(2 * COST, 9)
  })

  it('nests streamed chains, branches side by side, tools and failures', async () => {
    const branch = (name: string) => RunnableLambda.from((city: string) => look(city)).withConfig({ runName: name })
    const both = RunnableParallel.from({ a: branch('a'), b: branch('b') }).withConfig({ runName: 'both' })
    const weather = tool((city: string) => look(city), { name: 'weather' })
    const outer = traced('outer', async () => {
      await both.invoke('Bern')
      await weather.invoke('Bern')
      for await (const _ of await aModel().stream('Say hello'));
      await aModel('fake-forbidden')
        .invoke('Hi')
        .catch(() => undefined)
    })
    await outer()
    const runs = await project.runs()
    expect(drawTree(runs).toSorted()).toEqual(
      [
        'chain outer',
        'chain outer > chain both',
        ...['a', 'b']
          .flatMap((name) => [`chain ${name}`, `chain ${name} > chain look`])
          .map((path) => `chain outer > chain both > ${path}`),
        'chain outer > tool weather',
        'chain outer > tool weather > chain look',
        'chain outer > llm ChatOpenAI',
        'chain outer > llm ChatOpenAI',
      ].toSorted(),
    )
    const calls = runs.filter(({ run_type }) => run_type === 'llm')
    expect(calls.map(({ status }) => status)).toEqual(['success', 'error'])
    expect(calls[0]?.first_token_time).toBeTruthy()
    expect(calls[1]?.error).toContain('excluded')
  })

  it('nests a graph and its nodes, and hides what the client of the traced function hides', async () => {
    const State = Annotation.Root({ city: Annotation<string>, answer: Annotation<string> })
    const graph = new StateGraph(State)
      .addNode('work', async ({ city }) => {
        expect(getCurrentRunTree().name).toBe('work')
        return { answer: await look(city) }
      })
      .addEdge(START, 'work')
      .addEdge('work', END)
      .compile()
    const config = { configurable: { thread_id: 'thread-1' } }
    expect((await traced('outer', () => graph.invoke({ city: 'Bern' }, config))()).answer).toBe('Bern is grey')
    expect(drawTree(await project.runs())).toContain('chain outer > chain LangGraph > chain work > chain look')

    project = aProject(started.server, { hideInputs: true, hideOutputs: true })
    await traced('hidden', () => graph.invoke({ city: 'Bern' }, config))()
    const hidden = await project.runs()
    expect(hidden.length).toBeGreaterThan(3)
    for (const run of hidden) expect([run.inputs, run.outputs], run.name).toEqual([{}, {}])
  })

  it('leaves a chain outside of any traced function to the settings of LangChain', async () => {
    const chain = RunnableLambda.from((city: string) => look(city))
    expect(await chain.invoke('Bern')).toBe('Bern is grey')
    await traced('marker', async () => undefined)()
    expect(drawTree(await project.runs())).toEqual(['chain marker'])
  })
})
