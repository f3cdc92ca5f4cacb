import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
}, 90_000)
afterAll(() => terminal?.close())

const START = '2026-02-03T04:05:06.000007Z'
const send = (post: readonly object[]) =>
  fetch(`${terminal.endpoint}/api/v1/runs/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ post }),
  })

describe('where is my trace, on the command line', () => {
  it('answers for an accepted and a rejected id', async () => {
    const id = crypto.randomUUID()
    const bad = crypto.randomUUID()
    const run = { name: 'step', run_type: 'chain', start_time: START }
    await send([
      { ...run, id, trace_id: id },
      { ...run, id: bad, trace_id: bad, start_time: 'yesterday' },
    ])
    const stored = await terminal.run('where', id)
    expect(stored).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} is stored`) })
    const rejected = await terminal.run('where', bad)
    expect(rejected).toMatchObject({ code: 0, stdout: expect.stringContaining('was rejected') })
    expect(rejected.stdout).toContain('start_time')
    expect((await terminal.run('where', bad, '--json')).json()).toMatchObject({ outcome: 'rejected' })
  })

  it('answers for spans of OpenTelemetry by their own ids', async () => {
    const traceId = 'ab'.repeat(16)
    const times = { startTimeUnixNano: '1770091506000000000', endTimeUnixNano: '1770091507000000000' }
    const spans = [
      { traceId, spanId: '00f067aa0ba902b7', name: 'good', ...times },
      { traceId, spanId: '00f067aa0ba902b8', name: 'late', ...times, startTimeUnixNano: `${2n ** 64n - 1n}` },
    ]
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
    await fetch(`${terminal.endpoint}/otel/v1/traces`, { method: 'POST', headers, body })
    for (const id of ['00f067aa0ba902b7', traceId]) {
      expect(await terminal.run('where', id)).toMatchObject({ code: 0, stdout: expect.stringContaining('is stored') })
    }
    const rejected = await terminal.run('where', '00f067aa0ba902b8')
    expect(rejected).toMatchObject({ code: 0, stdout: expect.stringContaining('was rejected') })
    expect(rejected.stdout).toContain('after the year 2298')
  })

  it('answers for an unknown id, and for one that the client sampled out', async () => {
    const unknown = await terminal.run('where', crypto.randomUUID())
    expect(unknown).toMatchObject({ code: 3, stdout: expect.stringContaining('is unknown') })

    const client = new Client({ apiUrl: `${terminal.endpoint}/api/v1`, tracingSamplingRate: 0.5 })
    const ids = Array.from({ length: 40 }, () => crypto.randomUUID())
    for (const id of ids) await client.createRun({ id, trace_id: id, name: 'sampled', run_type: 'chain', inputs: {} })
    await client.flush()
    const found = await Promise.all(ids.map((id) => client.findTrace(id)))
    const outcomes = new Set(found.map(({ outcome }) => outcome))
    expect(outcomes).toEqual(new Set(['stored', 'sampled_out']))
    const left = found.find(({ outcome }) => outcome === 'sampled_out')
    const shown = await terminal.run('where', left?.id ?? '')
    expect(shown).toMatchObject({ code: 3, stdout: expect.stringContaining('was not sent') })
  })
})
