import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { partsOf, Recorder, runsOf } from '../../../test/recorder.ts'
import { Client, type ClientConfig, type RunCreate, uuid7 } from '../../index.ts'
import { RunTree } from '../../run-trees.ts'

let server: Recorder
let warnings: string[]

beforeEach(async () => {
  server = await Recorder.start()
  warnings = []
})
afterEach(async () => {
  // What a test leaves waiting must not be reported in the next.
  await Promise.all(clients.splice(0).map((client) => client.flush()))
  await server.stop()
})

const clients: Client[] = []
const logger = { warn: (message: string) => void warnings.push(message) }
function aClient(config: ClientConfig = {}): Client {
  const client = new Client({ apiUrl: server.url, apiKey: 'k', logger, ...config })
  clients.push(client)
  return client
}

function aRun(over: Partial<RunCreate> = {}): RunCreate & { id: string } {
  const { id, trace_id, dotted_order } = new RunTree({ name: 'r' })
  return { trace_id, dotted_order, name: 'r', run_type: 'chain', inputs: { q: 1 }, session_name: 'p', ...over, id }
}

const endOf = ({ trace_id, dotted_order }: RunCreate) => ({ trace_id, dotted_order, end_time: 1, outputs: { a: 2 } })
const sizes = () => server.calls.map((call) => runsOf(call).length)
const now = { 'retry-after': '0' }

describe('the queue', () => {
  it('sends what was queued when it has its maximum age, in one multipart request', async () => {
    const client = aClient({ batchMaxAgeMs: 50 })
    for (let n = 0; n < 10; n++) await client.createRun(aRun())
    expect(server.calls).toHaveLength(0)
    await vi.waitFor(() => expect(server.calls).not.toHaveLength(0), 10_000)
    expect(sizes()).toEqual([10])
    expect(server.calls[0]).toMatchObject({ method: 'POST', path: '/runs/multipart' })
  })

  it('merges a run’s create and updates, whichever comes first', async () => {
    const client = aClient()
    const [first, second, third] = [aRun(), aRun(), aRun()]
    await client.createRun(first)
    await client.updateRun(first.id, endOf(first))
    await client.updateRun(second.id, endOf(second))
    await client.createRun(second)
    await client.updateRun(third.id, { ...endOf(third), tags: ['early'] })
    await client.updateRun(third.id, { ...endOf(third), error: 'late' })
    await client.flush()
    expect(server.runs).toMatchObject([
      { kinds: ['post'], inputs: { q: 1 }, outputs: { a: 2 }, end_time: 1 },
      { kinds: ['post'], inputs: { q: 1 }, outputs: { a: 2 }, end_time: 1 },
      { kinds: ['patch'], tags: ['early'], error: 'late' },
    ])
  })

  it('records a run as it was at the call', async () => {
    const client = aClient()
    const inputs = { messages: ['hi'] }
    await client.createRun(aRun({ inputs }))
    inputs.messages.push('changed later')
    await client.flush()
    expect(server.runs[0]!.inputs).toEqual({ messages: ['hi'] })
  })

  it('leaves its arguments as they were', async () => {
    const run = Object.freeze(aRun({ project_name: 'mine', extra: Object.freeze({ metadata: Object.freeze({}) }) }))
    await aClient().createRun(run)
    expect(run.project_name).toBe('mine')
  })

  it('never sends more runs or bytes in one request than allowed, but a lone large run', async () => {
    const client = aClient({ batchSizeLimit: 3, batchSizeBytesLimit: 20_000 })
    for (let n = 0; n < 7; n++) await client.createRun(aRun())
    await client.flush()
    expect(sizes()).toEqual([3, 3, 1])
    await client.createRun(aRun({ inputs: { text: 'x'.repeat(50_000) } }))
    for (let n = 0; n < 2; n++) await client.createRun(aRun({ inputs: { text: 'x'.repeat(15_000) } }))
    await client.flush()
    expect(sizes().slice(3)).toEqual([1, 1, 1])
  })

  it('takes its limits from the server', async () => {
    server.info = { batch_ingest_config: { size_limit: 4, size_limit_bytes: 1_000_000 }, instance_flags: {} }
    const client = aClient()
    await client.createRun(aRun())
    await client.flush()
    for (let n = 0; n < 9; n++) await client.createRun(aRun())
    await client.flush()
    expect(sizes()).toEqual([1, 4, 4, 1])
    expect(server.requests.filter(({ path }) => path === '/info')).toHaveLength(1)
  })

  it('keeps to its number of parallel requests', async () => {
    let running = 0
    let most = 0
    server.respond(async ({ path }) => {
      if (path === '/info') return undefined
      most = Math.max(most, ++running)
      // Pause: requests overlap only while each takes some time.
      await new Promise((resolve) => setTimeout(resolve, 15))
      running--
      return { status: 202, body: {} }
    })
    const client = aClient({ batchSizeLimit: 1, traceBatchConcurrency: 2 })
    for (let n = 0; n < 8; n++) await client.createRun(aRun())
    await client.flush()
    expect(most).toBe(2)
    expect(server.runs).toHaveLength(8)
    expect(() => aClient({ traceBatchConcurrency: 0 })).toThrow('Trace batch concurrency must be positive.')
  })

  it('drops the newest run, with one warning, when it holds as much as it may', async () => {
    const client = aClient({ maxIngestMemoryBytes: 10_000, manualFlushMode: true })
    const runs = Array.from({ length: 5 }, () => aRun({ inputs: { text: 'x'.repeat(3000) } }))
    for (const run of runs) await client.createRun(run)
    expect(warnings.filter((text) => text.includes('full (10000 bytes)'))).toEqual([
      expect.stringContaining(runs[2]!.id),
    ])
    await client.flush()
    expect(server.runs).toHaveLength(2)
    await client.createRun(aRun({ inputs: { text: 'x'.repeat(50_000) } }))
    await client.flush()
    expect(server.runs).toHaveLength(3)
  })

  it('keeps runs for different servers apart', async () => {
    const other = await Recorder.start()
    const client = aClient()
    await client.createRun(aRun())
    await client.createRun(aRun({ name: 'elsewhere' }), { apiUrl: other.url })
    await client.flush()
    expect(server.runs.map(({ name }) => name)).toEqual(['r'])
    expect(other.runs.map(({ name }) => name)).toEqual(['elsewhere'])
    expect(other.calls[0]!.headers['x-api-key']).toBeUndefined()
    await other.stop()
  })
})

describe('the body', () => {
  it('has a part per field with its true length, and attachments as they are', async () => {
    const client = aClient()
    const run = aRun({ error: 'é', events: [{ name: 'new_token', kwargs: { token: 'secret' } }], tags: ['t'] })
    const attachments = {
      image: ['image/png', new Uint8Array([0, 255])] as [string, Uint8Array],
      'a.b': ['x', new Uint8Array()] as [string, Uint8Array],
    }
    await client.createRun({ ...run, attachments })
    await client.flush()
    const parts = partsOf(server.calls[0]!)
    expect(parts.map(({ name }) => name.replace(run.id, 'ID')).sort()).toEqual(
      ['post.ID', 'post.ID.inputs', 'post.ID.events', 'post.ID.error', 'post.ID.extra', 'attachment.ID.image'].sort(),
    )
    expect(server.runs[0]).toMatchObject({ error: 'é', events: [{ name: 'new_token', kwargs: {} }] })
    expect(parts.find(({ name }) => name.startsWith('attachment'))).toMatchObject({
      type: 'image/png',
      data: Buffer.from([0, 255]),
    })
    expect(warnings).toEqual([expect.stringContaining('a.b')])
    expect(server.calls[0]!.headers['content-length']).toBeDefined()
  })

  it('is gzipped when the server offers it', async () => {
    server.info = { instance_flags: { gzip_body_enabled: true } }
    for (const compressRuns of [undefined, false]) {
      const client = aClient({ compressRuns })
      await client.createRun(aRun({ inputs: { text: 'x'.repeat(5000) } }))
      await client.flush()
    }
    expect(server.calls.map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', undefined])
    expect(server.runs.map(({ inputs }) => inputs.text.length)).toEqual([5000, 5000])
  })

  it('is JSON for a server that asks for that, or has no multipart endpoint', async () => {
    server.info = { batch_ingest_config: { use_multipart_endpoint: false } }
    const client = aClient()
    const run = aRun({ attachments: { a: ['x/y', new Uint8Array([1])] } })
    await client.createRun(run)
    await client.flush()
    expect(server.calls.map(({ path }) => path)).toEqual(['/runs/batch'])
    expect(warnings).toEqual([expect.stringContaining('attachments are not sent')])
    server.respond(({ path }) => (path === '/runs/multipart' ? { status: 404, body: {} } : undefined))
    server.info = {}
    const late = aClient()
    for (let n = 0; n < 2; n++) {
      await late.createRun(aRun())
      await late.flush()
    }
    expect(server.calls.slice(1).map(({ path }) => path)).toEqual(['/runs/multipart', '/runs/batch', '/runs/batch'])
    expect(server.runs).toHaveLength(1 + 2)
  })
})

describe('a refused request', () => {
  it('that is too large is halved until it fits', async () => {
    server.respond((call) =>
      call.path === '/runs/multipart' && runsOf(call).length > 2 ? { status: 413, body: {} } : undefined,
    )
    const client = aClient()
    for (let n = 0; n < 8; n++) await client.createRun(aRun())
    await client.flush()
    expect(sizes()).toEqual([8, 4, 2, 2, 4, 2, 2])
    expect(warnings).toEqual([])
  })

  it('with one run too large goes without that run’s largest part', async () => {
    server.respond(({ path, body }) =>
      path === '/runs/multipart' && body.length > 5000 ? { status: 413, body: {} } : undefined,
    )
    const client = aClient()
    await client.createRun(aRun({ inputs: { text: 'x'.repeat(6000) }, outputs: { text: 'y'.repeat(9000) } }))
    await client.flush()
    expect(server.calls).toHaveLength(3)
    const sent = runsOf(server.calls[2]!)[0]!
    expect(sent.outputs.ls_error).toMatch(/^Left out: outputs of 90\d\d bytes/)
    expect(sent.inputs.ls_error).toMatch(/^Left out: inputs of 60\d\d bytes/)
  })

  it('with one bad run loses only that run', async () => {
    const bad = aRun({ name: 'bad' })
    server.respond((call) =>
      call.path === '/runs/multipart' && runsOf(call).some(({ name }) => name === 'bad')
        ? { status: 422, body: {} }
        : undefined,
    )
    const client = aClient()
    for (let n = 0; n < 7; n++) await client.createRun(n === 3 ? bad : aRun())
    await client.flush()
    const accepted = server.calls.filter((call) => !runsOf(call).some(({ name }) => name === 'bad'))
    expect(accepted.flatMap(runsOf)).toHaveLength(6)
    expect(warnings).toEqual([expect.stringContaining(bad.id)])
  })

  it('never includes neighbours of a run whose ids do not fit together', async () => {
    const client = aClient()
    const odd = { ...aRun({ name: 'odd' }), trace_id: uuid7() }
    await client.createRun(aRun())
    await client.createRun(odd)
    await client.createRun({ ...aRun(), id: 'no-id' })
    await client.flush()
    expect(server.calls.map((call) => runsOf(call).map(({ name }) => name))).toEqual([['r'], ['odd']])
    expect(warnings).toEqual([expect.stringContaining('no-id')])
  })

  it.each([400, 401, 403, 409, 415])('for status %i is not repeated', async (status) => {
    server.respond(({ path }) => (path === '/runs/multipart' ? { status, headers: now, body: {} } : undefined))
    const client = aClient()
    await client.createRun(aRun())
    await client.flush()
    expect(server.calls).toHaveLength(1)
    expect(warnings).toHaveLength(1)
  })

  it.each([408, 425, 429, 500, 502, 503, 504])('for status %i is repeated', async (status) => {
    server.respond(({ path }, earlier) =>
      path === '/runs/multipart' && earlier < 3 ? { status, headers: now, body: {} } : undefined,
    )
    const client = aClient()
    await client.createRun(aRun())
    await client.flush()
    expect(server.calls).toHaveLength(4)
    expect(warnings).toEqual([])
  })

  it('for the key is mentioned once, with the address', async () => {
    server.respond(({ path }) =>
      path === '/runs/multipart' ? { status: 401, body: { detail: 'Invalid token' } } : undefined,
    )
    const client = aClient({ apiKey: '' })
    for (let n = 0; n < 3; n++) {
      await client.createRun(aRun())
      await client.flush()
    }
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/Tracing is on, but http:\S+ requires an API key, and none is set .*\[401\]/)
  })

  it('for rate holds the whole sender back', async () => {
    server.respond(({ path }, earlier) =>
      path === '/runs/multipart' && earlier === 0
        ? { status: 429, headers: { 'retry-after': '1' }, body: {} }
        : undefined,
    )
    const client = aClient({ batchSizeLimit: 1, traceBatchConcurrency: 1 })
    await client.createRun(aRun())
    const first = client.flush()
    await vi.waitFor(() => expect(server.calls).not.toHaveLength(0), 10_000)
    await client.createRun(aRun())
    await Promise.all([first, client.flush()])
    const [refused, ...later] = server.calls
    expect(later).toHaveLength(2)
    for (const { at } of later) expect(at - refused!.at).toBeGreaterThanOrEqual(980)
  })

  it('that names single runs is passed on to the reader', async () => {
    server.respond(({ path }) =>
      path === '/runs/multipart' ? { status: 202, body: { errors: [{ run_id: 'x', error: 'bad time' }] } } : undefined,
    )
    const client = aClient()
    await client.createRun(aRun())
    await client.flush()
    expect(warnings).toEqual([expect.stringContaining('did not store run x: bad time')])
  })

  it('that names what was repaired is passed on once, not for each run', async () => {
    const repaired = [
      { run_id: 'x', fields: ['name', 'tags'] },
      { run_id: 'y', fields: ['name'] },
    ]
    server.respond(({ path }) => (path === '/runs/multipart' ? { status: 202, body: { repaired } } : undefined))
    const client = aClient()
    await client.createRun(aRun())
    await client.flush()
    expect(warnings).toEqual(['[touchstone] Repaired in run x: name,tags'])
  })

  it('is written to the dump directory, readable by its owner only and without the key', async () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'dump-')), 'deep')
    process.env.TOUCHSTONE_FAILED_TRACES_DIR = directory
    try {
      server.respond(({ path }) => (path === '/runs/multipart' ? { status: 400, body: {} } : undefined))
      const client = aClient({ apiKey: 'very-secret' })
      await client.createRun(aRun({ name: 'kept' }))
      await client.flush()
    } finally {
      delete process.env.TOUCHSTONE_FAILED_TRACES_DIR
    }
    const [name] = readdirSync(directory)
    expect(name).toMatch(/^trace_\d+_[0-9a-f]{8}\.json$/)
    expect(statSync(join(directory, name!)).mode & 0o777).toBe(0o600)
    const text = readFileSync(join(directory, name!), 'utf8')
    const dump = JSON.parse(text)
    expect(dump).toMatchObject({ version: 1, endpoint: 'runs/multipart' })
    expect(text).not.toContain('very-secret')
    const body = Buffer.from(dump.body_base64, 'base64')
    const headers = { 'content-type': dump.headers['Content-Type'] }
    expect(partsOf({ ...server.calls[0]!, headers, body })[0]!.data.toString()).toContain('"name":"kept"')
  })
})

describe('flushing', () => {
  it('stops waiting after the time-out, and the runs still arrive', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    server.respond(async ({ path }) => {
      if (path !== '/info') await held
      return undefined
    })
    const client = aClient()
    await client.createRun(aRun())
    await client.flush({ timeoutMs: 60 }) // long before the server responds
    release()
    await client.flush()
    expect(server.runs).toHaveLength(1)
  })

  it('never rejects, and a dead server costs its retries only', async () => {
    const { url } = server
    const dead = new Client({ apiUrl: url, logger, callerOptions: { maxRetries: 0 } })
    await server.stop()
    await dead.createRun(aRun())
    await dead.awaitPendingTraceBatches()
    expect(warnings).toEqual([expect.stringContaining('No answer from')])
    server = await Recorder.start()
  })

  it('logs the reason of a delay at the first attempt', async () => {
    server.respond(({ path }, earlier) => (path === '/runs/multipart' && earlier === 0 ? { reset: true } : undefined))
    const client = aClient()
    await client.createRun(aRun())
    await client.flush()
    expect(warnings).toEqual([expect.stringMatching(/No answer from .* Runs are kept and sent again\.$/)])
    expect(server.runs).toHaveLength(1)
  })

  it('is the only thing that sends in manual mode', async () => {
    const client = aClient({ manualFlushMode: true, batchMaxAgeMs: 1, batchSizeLimit: 2 })
    for (let n = 0; n < 5; n++) await client.createRun(aRun())
    // Pause: a request too many would be sent in this time.
    await new Promise((resolve) => setTimeout(resolve, 30))
    await client.awaitPendingTraceBatches()
    expect(server.requests).toHaveLength(0)
    expect(warnings).toEqual([expect.stringContaining('flush()')])
    await client.cleanup()
    expect(server.runs).toHaveLength(5)
  })

  it('is awaited by the end of a root run in block mode, and by no child', async () => {
    const client = aClient({ blockOnRootRunFinalization: true, batchMaxAgeMs: 60_000 })
    const root = new RunTree({ name: 'root', client })
    const child = root.createChild({ name: 'child' })
    await root.postRun()
    await child.postRun()
    await child.end()
    await child.patchRun()
    expect(server.calls).toHaveLength(0)
    await root.end({ a: 1 })
    await root.patchRun()
    expect(server.run('root').outputs).toEqual({ a: 1 })
  })
})

describe('runs that are not batched', () => {
  it('are sent at once, and their failure is the caller’s', async () => {
    const client = aClient({ autoBatchTracing: false })
    const run = aRun()
    await client.createRun(run)
    await client.updateRun(run.id, endOf(run))
    await aClient().createRun({ name: 'loose', run_type: 'tool', inputs: {}, project_name: 'q' })
    expect(server.calls.map(({ method, path }) => `${method} ${path.replace(run.id, 'ID')}`)).toEqual([
      'POST /runs',
      'PATCH /runs/ID',
      'POST /runs',
    ])
    const loose = server.run('loose')
    expect(loose).toMatchObject({ session_name: 'q', child_runs: [] })
    expect(typeof loose.start_time).toBe('number')
    server.respond(() => ({ status: 400, body: { error: 'no' } }))
    await expect(client.createRun(aRun())).rejects.toMatchObject({ status: 400 })
  })

  it('go as one request through the ingest methods', async () => {
    const client = aClient()
    const [first, second] = [aRun(), aRun()]
    const runs = { runCreates: [first, second], runUpdates: [{ id: first.id, ...endOf(first) }] }
    await client.batchIngestRuns(runs)
    await client.multipartIngestRuns(runs, { useGzip: true })
    await client.batchIngestRuns({})
    expect(server.calls.map(({ path }) => path)).toEqual(['/runs/batch', '/runs/multipart'])
    expect(sizes()).toEqual([2, 2])
    const without = { ...aRun(), dotted_order: undefined }
    await expect(client.multipartIngestRuns({ runCreates: [without] })).rejects.toThrow(
      'Multipart ingest requires "trace_id" and "dotted_order" to be set when creating a run',
    )
    await expect(client.multipartIngestRuns({ runUpdates: [without] })).rejects.toThrow(
      'Multipart ingest requires "trace_id" and "dotted_order" to be set when updating a run',
    )
    server.respond(() => ({ status: 404, body: {} }))
    await expect(client.multipartIngestRuns(runs)).rejects.toMatchObject({ status: 404 })
    server.respond(() => ({ status: 400, body: {} }))
    await client.multipartIngestRuns(runs)
    expect(warnings).toHaveLength(1)
  })
})
