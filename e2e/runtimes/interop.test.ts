import { RunnableLambda } from '@langchain/core/runnables'
import { Client as PublicClient } from 'langsmith'
import { traceable as publicTraceable } from 'langsmith/traceable'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Client } from '../../packages/sdk/src/index.ts'
import { traceable } from '../../packages/sdk/src/traceable.ts'
import { Recorder } from '../../packages/sdk/test/recorder.ts'

let server: Recorder
let ours: Client
let theirs: PublicClient

beforeEach(async () => {
  server = await Recorder.start()
  ours = new Client({ apiUrl: server.url, apiKey: 'k' })
  theirs = new PublicClient({ apiUrl: server.url, apiKey: 'k' })
  process.env.LANGSMITH_TRACING = 'true'
  process.env.LANGSMITH_ENDPOINT = server.url
})
afterEach(async () => {
  delete process.env.LANGSMITH_TRACING
  delete process.env.LANGSMITH_ENDPOINT
  await server.stop()
})

async function delivered() {
  await Promise.all([ours.flush(), theirs.flush()])
  await Promise.all([ours.flush(), theirs.flush()])
}

function expectChild(child: string, parent: string): void {
  const [above, below] = [server.run(parent), server.run(child)]
  expect(below).toMatchObject({ parent_run_id: above.id, trace_id: above.trace_id })
  expect(below.dotted_order.startsWith(`${above.dotted_order}.`)).toBe(true)
  expect([above.end_time, below.end_time]).not.toContain(undefined)
}

describe('runs of other packages', () => {
  it('nest in ours', async () => {
    const inner = publicTraceable(async (q: string) => q.length, { name: 'theirs' })
    const outer = traceable(async (q: string) => inner(q), { name: 'ours', client: ours })
    expect(await outer('why')).toBe(3)
    await delivered()
    expectChild('theirs', 'ours')
  })

  it('hold ours', async () => {
    const inner = traceable(async (q: string) => q.length, { name: 'ours' })
    const outer = publicTraceable(async (q: string) => inner(q), { name: 'theirs', client: theirs })
    expect(await outer('why')).toBe(3)
    await delivered()
    expectChild('ours', 'theirs')
  })

  it('of LangChain nest in ours, and hold ours', async () => {
    const leaf = traceable(async (q: string) => q.length, { name: 'leaf' })
    const chain = RunnableLambda.from(async (q: string) => leaf(q)).withConfig({ runName: 'chain' })
    const outer = traceable(async (q: string) => chain.invoke(q), { name: 'ours', client: ours })
    expect(await outer('why')).toBe(3)
    await delivered()
    expectChild('chain', 'ours')
    expectChild('leaf', 'chain')
  })
})
