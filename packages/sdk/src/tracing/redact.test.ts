import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, type ClientConfig } from '../index.ts'
import { RunTree } from '../run-trees.ts'

let server: Recorder
beforeEach(async () => {
  server = await Recorder.start()
})
afterEach(() => server.stop())

async function recorded(config: ClientConfig) {
  const client = new Client({ apiUrl: server.url, ...config })
  const run = new RunTree({ name: 'a', client, inputs: { i: 1 }, metadata: { m: 1 } })
  await run.postRun()
  await run.end({ o: 1 }, 'pw=secret')
  await run.patchRun()
  await client.flush()
  const { inputs, outputs, extra, error } = server.run('a')
  return { inputs, outputs, metadata: extra.metadata, error }
}

const plain = { inputs: { i: 1 }, outputs: { o: 1 }, metadata: { m: 1 }, error: 'pw=secret' }
const masked = () => ({ masked: true })

describe('redaction', () => {
  it.each<[string, ClientConfig, object]>([
    ['nothing', {}, plain],
    ['what is to be hidden', { hideInputs: true, hideOutputs: true }, { ...plain, inputs: {}, outputs: {} }],
    ['metadata', { hideMetadata: true }, { ...plain, metadata: {} }],
    ['by a function', { hideInputs: masked }, { ...plain, inputs: { masked: true } }],
    ['by a slow function', { hideOutputs: async () => masked() }, { ...plain, outputs: { masked: true } }],
    [
      'by the anonymizer everything that has no rule of its own',
      { anonymizer: (values) => ('error' in values ? { error: 'pw=***' } : { masked: true }), hideInputs: false },
      { inputs: { i: 1 }, outputs: { masked: true }, metadata: { masked: true }, error: 'pw=***' },
    ],
    [
      'completely when a rule fails',
      {
        hideInputs: () => {
          throw new Error('x')
        },
        hideOutputs: () => Promise.reject(new Error('x')),
      },
      {
        ...plain,
        inputs: { ls_error: 'Processing failed; inputs dropped (hideInputs)' },
        outputs: { ls_error: 'Processing failed; outputs dropped (hideOutputs)' },
      },
    ],
  ])('replaces %s', async (_, config, expected) => {
    expect(await recorded(config)).toEqual(expected)
  })

  it('follows the environment when no option is set', async () => {
    process.env.LANGSMITH_HIDE_INPUTS = 'true'
    try {
      expect(await recorded({})).toEqual({ ...plain, inputs: {} })
    } finally {
      delete process.env.LANGSMITH_HIDE_INPUTS
    }
  })

  it('asks each rule once per part, with a copy', async () => {
    const calls: unknown[] = []
    const inputs = { secret: 'x', when: new Date(0) }
    const client = new Client({
      apiUrl: server.url,
      hideInputs: (values) => {
        calls.push({ ...values })
        delete values.secret
        return values
      },
    })
    await new RunTree({ name: 'a', client, inputs }).postRun()
    await client.flush()
    expect(calls).toEqual([{ secret: 'x', when: '1970-01-01T00:00:00.000Z' }])
    expect(inputs.secret).toBe('x')
    expect(server.run('a').inputs).toEqual({ when: '1970-01-01T00:00:00.000Z' })
  })

  it('of values without a JSON form keeps the run', async () => {
    const cyclic: Record<string, unknown> = { n: 1n }
    cyclic.self = cyclic
    const client = new Client({ apiUrl: server.url, anonymizer: (values) => values })
    await new RunTree({ name: 'a', client, inputs: cyclic }).postRun()
    await client.flush()
    expect(server.run('a').inputs).toEqual({ n: '1', self: { result: '[Circular]' } })
  })
})

describe('what is added to a run', () => {
  it('names the runtime, and nothing from the environment but the revision', async () => {
    process.env.LANGSMITH_SOMETHING = 'private'
    process.env.LANGCHAIN_REVISION_ID = 'abc'
    try {
      await recorded({ tracingSamplingRate: 1 })
    } finally {
      delete process.env.LANGSMITH_SOMETHING
      delete process.env.LANGCHAIN_REVISION_ID
    }
    const { extra } = server.run('a')
    expect(extra.runtime).toMatchObject({ sdk: 'touchstone-js', runtime: 'node' })
    expect(extra.metadata).toEqual({ revision_id: 'abc', ls_tracing_sample_rate: 1, m: 1 })
  })

  it('is left out on request', async () => {
    await recorded({ omitTracedRuntimeInfo: true })
    expect(server.run('a').extra).toEqual({ metadata: { m: 1 } })
  })
})

describe('sampling', () => {
  it('refuses rates that are none', () => {
    for (const rate of [-0.1, 1.1, Number.NaN]) {
      expect(() => new Client({ tracingSamplingRate: rate })).toThrow(
        `LANGSMITH_TRACING_SAMPLING_RATE must be between 0 and 1 if set. Got: ${rate}`,
      )
    }
  })

  it('keeps or drops whole traces, and its share of them', async () => {
    const client = new Client({ apiUrl: server.url, tracingSamplingRate: 0.3 })
    for (let n = 0; n < 1000; n++) {
      const root = new RunTree({ name: 'root', client })
      const child = root.createChild({ name: 'child' })
      await child.postRun()
      await root.postRun()
      await root.end()
      await root.patchRun()
    }
    await client.flush()
    const roots = server.runs.filter(({ name }) => name === 'root')
    expect(roots.length).toBeGreaterThan(230)
    expect(roots.length).toBeLessThan(370)
    expect(server.runs).toHaveLength(2 * roots.length)
    for (const { end_time } of roots) expect(end_time).toBeDefined()
  })
})
