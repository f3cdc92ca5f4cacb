import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAsSent, withoutUnselected } from '../../support/expect-as-sent.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { type Tap, tapIngest } from '../../support/tap-ingest.ts'
import { PYTHON_LANGCHAINS, python, runScript } from './run-script.ts'

let server: SharedServer
let tap: Tap
beforeAll(async () => {
  if (python === undefined) return
  server = await shareServer()
  tap = await tapIngest(server.url)
})
afterAll(async () => {
  await tap?.close()
  await server?.stop()
})

type Fields = Record<string, unknown>

describe.skipIf(python === undefined).each(PYTHON_LANGCHAINS)('LangChain for Python $version', (langchain) => {
  /** Runs a script with a project of its own, in bodies that the tap can look into. */
  function run<Answer>(script: string): Promise<Answer> {
    const task = { project: `${script}-${randomBytes(4).toString('hex')}` }
    return runScript(script, task, tap.url, { ...langchain.env, LANGSMITH_DISABLE_RUN_COMPRESSION: 'true' })
  }

  it('records a LangChain chain with tokens, cost and a stream', async () => {
    const report = await run<{ version: string; said: string; pieces: string[]; runs: Fields[] }>('langchain_chain')
    const { said, pieces, runs } = report

    expect(report.version).toMatch(langchain.version)
    expect(said).toBe('Gold ist echt')
    expect(pieces.join('')).toBe('Ja nun gut')
    expect(runs.slice(0, 4).map((run) => `${run.run_type} ${run.name}`)).toEqual([
      'chain ask',
      'prompt ChatPromptTemplate',
      'llm GenericFakeChatModel',
      'parser StrOutputParser',
    ])
    for (const run of runs) expectAsSent(run, withoutUnselected(tap.sent(run.id as string)))
    for (const run of [runs[0]!, runs[2]!]) {
      expect(run).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30, status: 'success' })
      expect(Number(run.total_cost)).toBeCloseTo(15 * 0.4e-6 + 5 * 0.1e-6 + 10 * 1.6e-6, 12)
    }
    const streamed = runs.filter((run) => run.run_type === 'llm')[1]!
    expect(streamed.first_token_time).toBeTruthy()
    expect(runs.find((run) => run.name === 'both')).toMatchObject({ outputs: { upper: 'GOLD', length: 4 } })
  })

  it('records a graph of LangGraph with its model, its tool and its thread, each field as it was sent', async () => {
    const report = await run<{
      version: string
      said: string
      steps: string[]
      later: string
      runs: Fields[]
      threads: string[]
    }>('langgraph_agent')

    expect(report.version).toMatch(langchain.version)
    expect(report).toMatchObject({ said: 'It is gold.', steps: ['ask', 'tools', 'ask'], later: 'It is gold.' })
    expect(report.runs).toHaveLength(tap.runIds().filter((id) => report.runs.some((one) => one.id === id)).length)
    for (const one of report.runs) expectAsSent(one, withoutUnselected(tap.sent(one.id as string)))
    const roots = report.runs.filter((one) => one.parent_run_id === null)
    expect(roots.map((one) => one.name)).toEqual(['invoke', 'stream', 'later'])
    for (const root of roots) {
      const inside = report.runs.filter((one) => one.trace_id === root.id)
      const names = inside.map((one) => `${one.run_type} ${one.name}`)
      expect(names.filter((name) => name.startsWith('llm'))).toEqual(Array(2).fill('llm GenericFakeChatModel'))
      expect(names).toEqual(expect.arrayContaining(['chain ask', 'chain tools', 'tool weigh']))
      expect(inside.map((one) => one.status)).toEqual(inside.map(() => 'success'))
      expect(inside.find((one) => one.name === 'weigh')!.outputs).toMatchObject({
        output: { content: 'gold: 19.3 g/cm³ ✓', tool_call_id: 'call-1' },
      })
      expect(root).toMatchObject({ total_tokens: 30, tags: expect.arrayContaining(['assay']) })
    }
    expect(report.threads).toEqual(roots.map((root) => (root.extra as { metadata: Fields }).metadata.thread_id).sort())
  })
})
