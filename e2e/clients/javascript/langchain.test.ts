import { StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { RunnableLambda, RunnableParallel } from '@langchain/core/runnables'
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain'
import { ChatOpenAI } from '@langchain/openai'
import { getLangchainCallbacks } from 'langsmith/langchain'
import { getCurrentRunTree, traceable } from 'langsmith/traceable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAsSent, withoutUnselected } from '../../support/expect-as-sent.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { MODEL_ANSWER, type Model, startModel } from '../../support/start-model.ts'
import { type Tap, tapIngest } from '../../support/tap-ingest.ts'
import { aClient, aProjectName, collect } from './a-client.ts'

let server: SharedServer
let tap: Tap
let model: Model
beforeAll(async () => {
  ;[server, model] = await Promise.all([shareServer(), startModel()])
  tap = await tapIngest(server.url)
})
afterAll(async () => {
  await Promise.all([tap?.close(), model?.close(), server?.stop()])
})

/** A tracer into a project of its own, and the runs that arrive there. */
function aTracedProject(word: string) {
  const projectName = aProjectName(word)
  const client = aClient(tap.url)
  const tracer = new LangChainTracer({ projectName, client })
  return {
    client,
    projectName,
    callbacks: [tracer],
    async runs() {
      await client.awaitPendingTraceBatches()
      const runs = await collect(client.listRuns({ projectName, order: 'asc' }))
      return runs.sort((a, b) => (a.dotted_order! < b.dotted_order! ? -1 : 1))
    },
  }
}

const aModel = (streaming = false) =>
  new ChatOpenAI({
    model: 'gpt-4.1-mini',
    temperature: 0.5,
    apiKey: 'none',
    streaming,
    maxRetries: 0,
    configuration: { baseURL: model.url },
  })

const aChain = (streaming = false) =>
  ChatPromptTemplate.fromMessages([
    ['system', 'You are {manner}.'],
    ['user', '{question}'],
  ])
    .pipe(aModel(streaming))
    .pipe(new StringOutputParser())

describe('LangChain for JavaScript', () => {
  it('records a chain around a chat model, with its tokens and its cost', async () => {
    const { callbacks, runs } = aTracedProject('chain')

    const said = await aChain().invoke(
      { manner: 'brief', question: 'Is it gold?' },
      { callbacks, metadata: { thread_id: 'thread-7' }, tags: ['assay'], runName: 'ask' },
    )
    const read = await runs()

    expect(said).toBe(MODEL_ANSWER.join(''))
    expect(read.map((run) => `${run.run_type} ${run.name}`)).toEqual([
      'chain ask',
      'prompt ChatPromptTemplate',
      'llm ChatOpenAI',
      'parser StrOutputParser',
    ])
    for (const run of read) expectAsSent({ ...run }, withoutUnselected(tap.sent(run.id)))
    const [root, , llm] = read
    // gpt-4.1-mini: 0.4 $ per million in, 0.1 $ cached, 1.6 $ out; fifteen full, five cached, ten out.
    const cost = 15 * 0.4e-6 + 5 * 0.1e-6 + 10 * 1.6e-6
    for (const run of [llm!, root!]) {
      expect(run).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30, status: 'success' })
      expect(Number((run as unknown as { total_cost: string }).total_cost)).toBeCloseTo(cost, 12)
    }
    expect(root!.tags).toContain('assay')
  })

  it('records a streamed chain with the time of its first token', async () => {
    const { callbacks, runs } = aTracedProject('stream')

    const pieces = await collect(await aChain(true).stream({ manner: 'slow', question: 'Gold?' }, { callbacks }))
    const llm = (await runs()).find((run) => run.run_type === 'llm')!

    expect(pieces.join('')).toBe(MODEL_ANSWER.join(''))
    expect(llm.first_token_time).toBeTruthy()
    expect(llm).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, status: 'success' })
  })

  it('records runnables that run side by side, and their failures', async () => {
    const { callbacks, runs } = aTracedProject('runnables')
    const both = RunnableParallel.from({
      upper: RunnableLambda.from((text: string) => text.toUpperCase()).withConfig({ runName: 'upper' }),
      length: RunnableLambda.from((text: string) => text.length).withConfig({ runName: 'length' }),
    })
    const broken = both.pipe(
      RunnableLambda.from(() => {
        throw new Error('not gold')
      }).withConfig({ runName: 'broken' }),
    )

    await expect(broken.invoke('gold', { callbacks })).rejects.toThrow('not gold')
    const read = await runs()

    const statusOf = Object.fromEntries(read.map((run) => [run.name, run.status]))
    expect(statusOf).toMatchObject({ upper: 'success', length: 'success', broken: 'error', RunnableSequence: 'error' })
    expect(read.find((run) => run.name === 'broken')!.error).toContain('not gold')
  })

  it('records what the provider refused as an error of the model', async () => {
    const { callbacks, runs } = aTracedProject('refused')

    await expect(aModel().invoke('fail', { callbacks })).rejects.toThrow('the model refuses')
    const [run] = await runs()

    expect(run).toMatchObject({ run_type: 'llm', status: 'error' })
    expect(run!.error).toContain('the model refuses')
  })

  it('records a batch of 50 as 50 traces', async () => {
    const { callbacks, runs } = aTracedProject('batch')
    const double = RunnableLambda.from((n: number) => ({ doubled: n * 2 }))

    await double.batch(
      Array.from({ length: 50 }, (_, at) => at),
      { callbacks },
    )
    const read = await runs()

    expect(new Set(read.map((run) => run.trace_id)).size).toBe(50)
    expect(read.map((run) => (run.outputs as { doubled: number }).doubled).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, at) => at * 2),
    )
  })

  it('hangs a chain below the traceable that called it', async () => {
    const { client, projectName, runs } = aTracedProject('mixed')
    const outer = traceable(
      async (question: string) => {
        const callbacks = await getLangchainCallbacks(getCurrentRunTree())
        return await aChain().invoke({ manner: 'kind', question }, { callbacks: callbacks! })
      },
      { name: 'outer', client, project_name: projectName, tracingEnabled: true },
    )

    await outer('Gold?')
    const read = await runs()

    const root = read.find((run) => run.name === 'outer')!
    const chain = read.find((run) => run.name === 'RunnableSequence')!
    expect(chain.parent_run_id).toBe(root.id)
    expect(new Set(read.map((run) => run.trace_id))).toEqual(new Set([root.id]))
  })
})
