import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAsSent, withoutUnselected } from '../../support/expect-as-sent.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { type Tap, tapIngest } from '../../support/tap-ingest.ts'
import { aClient, aProjectName, collect } from './a-client.ts'
import { PUBLIC_LIBRARIES } from './public-libraries.ts'

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

const byName = <Run extends { name: string }>(runs: readonly Run[], name: string): Run =>
  runs.find((run) => run.name === name)!

describe.each(PUBLIC_LIBRARIES)('the public JavaScript client $version', (library) => {
  const { Client, RunTree, getCurrentRunTree, traceable } = library

  /** A client through the tap, the options that make `traceable` use it, and the runs it leaves behind. */
  function aTracedProject(word: string) {
    const client = aClient(tap.url, {}, Client)
    const project_name = aProjectName(word)
    return {
      client,
      options: { client, project_name, tracingEnabled: true },
      async runs() {
        await client.awaitPendingTraceBatches()
        return await collect(client.listRuns({ projectName: project_name }))
      },
    }
  }

  describe('traceable', () => {
    it('records nested calls as one trace, each field as it was sent', async () => {
      const { options, runs, client } = aTracedProject('nested')
      const search = traceable(async (query: string) => [`${query} 1`, `${query} 2`], {
        name: 'search',
        run_type: 'retriever',
        metadata: { index: 'grün', depth: { of: ['nesting'] } },
      })
      const answer = traceable(
        async ({ question }: { question: string }) => {
          const found = await search(question)
          return { answer: `${found.length} hits 🧪`, found }
        },
        { ...options, name: 'answer', tags: ['a', 'b'], metadata: { thread_id: 'thread-1' } },
      )

      await answer({ question: 'What is gold?' })
      const read = await runs()

      expect(read.map((run) => run.name).sort()).toEqual(['answer', 'search'])
      const [root, child] = [byName(read, 'answer'), byName(read, 'search')]
      expect(child.parent_run_id).toBe(root.id)
      expect(child.trace_id).toBe(root.id)
      expect(root.outputs).toEqual({ answer: '2 hits 🧪', found: ['What is gold? 1', 'What is gold? 2'] })
      for (const run of read) {
        expect(run.status).toBe('success')
        expectAsSent({ ...(await client.readRun(run.id)) }, tap.sent(run.id))
      }
      expect((await client.readRun(root.id)) as object).toMatchObject({ thread_id: 'thread-1' })
    })

    it('records a stream with its chunks put together and the time of its first token', async () => {
      const { options, runs } = aTracedProject('streamed')
      const write = traceable(
        async function* (topic: string) {
          for (const word of ['An', 'ode', 'to', topic]) {
            // Pause: chunks arrive one after the other.
            await new Promise((resolve) => setTimeout(resolve, 5))
            yield word
          }
        },
        { ...options, name: 'write', run_type: 'llm', aggregator: (words: string[]) => ({ text: words.join(' ') }) },
      )

      const words = await collect(write('gold'))
      const [run] = await runs()

      expect(words).toEqual(['An', 'ode', 'to', 'gold'])
      expect(run!.outputs).toEqual({ text: 'An ode to gold' })
      expect(run!.events!.filter((event) => event.name === 'new_token').length).toBeGreaterThan(0)
      const firstToken = Date.parse(String(run!.first_token_time))
      expect(firstToken).toBeGreaterThanOrEqual(Date.parse(String(run!.start_time)) - 1)
      expect(firstToken).toBeLessThanOrEqual(Date.parse(String(run!.end_time)) + 1)
    })

    it('records an error and lets it pass', async () => {
      const { options, runs } = aTracedProject('failing')
      const fail = traceable(
        async () => {
          throw new TypeError('the assay failed')
        },
        { ...options, name: 'fail', run_type: 'tool' },
      )

      await expect(fail()).rejects.toThrow('the assay failed')
      const [run] = await runs()

      expect(run!.status).toBe('error')
      expect(run!.error).toContain('TypeError: the assay failed')
    })

    it('keeps siblings that ran side by side under the right parents', async () => {
      const { options, runs } = aTracedProject('parallel')
      const leaf = traceable(async (at: number) => ({ at, under: getCurrentRunTree().parent_run?.name }), {
        name: 'leaf',
      })
      const branch = traceable(async (at: number) => await Promise.all([leaf(at * 10), leaf(at * 10 + 1)]), {
        name: 'branch',
      })
      const trunk = traceable(async () => await Promise.all([1, 2, 3].map((at) => branch(at))), {
        ...options,
        name: 'trunk',
      })

      await trunk()
      const read = await runs()

      expect(read).toHaveLength(10)
      const branches = read.filter((run) => run.name === 'branch')
      for (const one of branches) {
        const leaves = read.filter((run) => run.parent_run_id === one.id)
        const { input } = one.inputs as { input: number }
        expect(leaves.map((run) => (run.inputs as { input: number }).input).sort((a, b) => a - b)).toEqual([
          input * 10,
          input * 10 + 1,
        ])
      }
      const ordered = [...read].sort((a, b) => (a.dotted_order! < b.dotted_order! ? -1 : 1))
      expect(ordered[0]!.name).toBe('trunk')
    })

    it('shows a run that has not ended yet as pending', async () => {
      const { options, runs } = aTracedProject('pending')
      let finish = () => {}
      const held = new Promise<void>((resolve) => {
        finish = resolve
      })
      const wait = traceable(async () => await held, { ...options, name: 'wait' })

      const waiting = wait()
      const [before] = await runs()
      finish()
      await waiting
      const [after] = await runs()

      expect(before).toMatchObject({ status: 'pending' })
      expect(before!.end_time ?? null).toBeNull()
      expect(after).toMatchObject({ status: 'success' })
    })
  })

  describe('RunTree', () => {
    it('records a tree by hand, also across processes', async () => {
      const { client, options, runs } = aTracedProject('by-hand')
      const root = new RunTree({
        name: 'root',
        run_type: 'chain',
        inputs: { n: 1 },
        client,
        project_name: options.project_name,
      })
      await root.postRun()
      const tool = root.createChild({
        name: 'tool',
        run_type: 'tool',
        inputs: { q: 'x' },
        extra: { metadata: { k: ['v'] } },
      })
      await tool.postRun()
      // What the next process gets is headers, nothing else.
      const caller = RunTree.fromHeaders(tool.toHeaders(), { client, project_name: options.project_name })!
      const elsewhere = caller.createChild({ name: 'remote', run_type: 'llm' })
      await elsewhere.postRun()
      await elsewhere.end({ text: 'done' })
      await elsewhere.patchRun()
      await tool.end({ ok: true })
      await tool.patchRun()
      await root.end({ total: 1 })
      await root.patchRun()

      const read = await runs()

      expect(read).toHaveLength(3)
      expect(byName(read, 'remote').parent_run_id).toBe(tool.id)
      expect(byName(read, 'remote').trace_id).toBe(root.id)
      for (const run of read) expectAsSent({ ...run }, withoutUnselected(tap.sent(run.id)))
      const whole = await client.readRun(root.id, { loadChildRuns: true })
      expect(whole.child_runs!.map((run) => run.name)).toEqual(['tool'])
      expect(whole.child_runs![0]!.child_runs!.map((run) => run.name)).toEqual(['remote'])
    })
  })

  describe('500 traces at once', () => {
    it('all arrive, none twice, none mixed up', async () => {
      const { options, runs } = aTracedProject('crowd')
      const child = traceable(async (at: number) => ({ square: at * at }), { name: 'child', run_type: 'tool' })
      const root = traceable(async ({ at }: { at: number }) => await child(at), { ...options, name: 'root' })

      await Promise.all(Array.from({ length: 500 }, (_, at) => root({ at })))
      const read = await runs()

      expect(read).toHaveLength(1000)
      expect(new Set(read.map((run) => run.id)).size).toBe(1000)
      const roots = new Map(read.filter((run) => run.name === 'root').map((run) => [run.id, run]))
      const seen = new Set<number>()
      for (const run of read.filter((one) => one.name === 'child')) {
        const { at } = roots.get(run.parent_run_id!)!.inputs as { at: number }
        expect(run.inputs).toEqual({ input: at })
        expect(run.outputs).toEqual({ square: at * at })
        expect(run.status).toBe('success')
        seen.add(at)
      }
      expect(seen.size).toBe(500)
    })
  })
})
