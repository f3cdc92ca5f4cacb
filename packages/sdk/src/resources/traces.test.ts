import { collectTraceRuns, encodeTraceRuns, type TraceRunRow } from '@touchstone/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ROOT = '01981234-5678-7abc-8def-0123456789ab'
const CHILD = '01981234-5679-7abc-8def-0123456789ab'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const aRow = (fields: Partial<TraceRunRow>): TraceRunRow => ({
  id: ROOT,
  parent_run_id: null,
  name: 'step',
  run_type: 'chain',
  status: 'success',
  start: 0,
  end: 10,
  first_token: null,
  error_preview: null,
  model: null,
  tags: [],
  prompt_tokens: null,
  completion_tokens: null,
  total_tokens: null,
  total_cost: null,
  reported_cost: null,
  unpriced_fees: null,
  inputs_bytes: 1,
  outputs_bytes: 2,
  ...fields,
})

it('reads the runs of a trace as typed arrays', async () => {
  const rows = [aRow({}), aRow({ id: CHILD, parent_run_id: ROOT, run_type: 'llm', start: 3, total_cost: '0.1' })]
  const runs = encodeTraceRuns(collectTraceRuns(rows, 1_767_323_045_000_007n))
  server.respond(() => ({ body: { trace_id: ROOT, session_id: CHILD, total: 2, version: '7', runs } }))

  const trace = await client.readTraceColumns(ROOT)

  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /traces/${ROOT}/runs/columns`])
  expect(trace).toMatchObject({ trace_id: ROOT, session_id: CHILD, total: 2, version: '7' })
  expect(trace.runs.ids).toEqual([ROOT, CHILD])
  expect(trace.runs.parents).toEqual(Int32Array.of(-1, 0))
  expect(trace.runs.starts).toEqual(Float64Array.of(0, 3))
  expect(trace.runs.startMicros).toBe(1_767_323_045_000_007n)
  expect(trace.runs.totalCosts).toEqual(new Map([[1, '0.1']]))
})

it('rejects an id that is not a UUID before it is sent', async () => {
  await expect(client.readTraceColumns('../runs')).rejects.toThrow('UUID')
  expect(server.requests).toEqual([])
})
