import { execFile } from 'node:child_process'
import { connect } from 'node:http2'
import { fileURLToPath } from 'node:url'
import type { Run } from 'langsmith/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, type StartedServer, startServer } from '../../support/start-server.ts'
import { aClient, aProjectName, collect } from '../javascript/a-client.ts'
import { python } from '../python/run-script.ts'

let server: StartedServer
let grpc: string
beforeAll(async () => {
  const port = await freePort()
  grpc = `http://127.0.0.1:${port}`
  server = await startServer({ env: { TOUCHSTONE_OTLP_GRPC_PORT: String(port) } })
})
afterAll(() => server?.stop())

const TRACES = '/otel/v1/traces'

/** One published exporter with a way to send. */
interface Exporter {
  readonly name: string
  readonly language: 'javascript' | 'python'
  readonly kind: string
  readonly compression: 'none' | 'gzip'
}

const EXPORTERS: readonly Exporter[] = [
  { name: 'protobuf, npm', language: 'javascript', kind: 'protobuf', compression: 'none' },
  { name: 'protobuf with gzip, npm', language: 'javascript', kind: 'protobuf', compression: 'gzip' },
  { name: 'JSON, npm', language: 'javascript', kind: 'json', compression: 'none' },
  { name: 'JSON with gzip, npm', language: 'javascript', kind: 'json', compression: 'gzip' },
  { name: 'gRPC, npm', language: 'javascript', kind: 'grpc', compression: 'none' },
  { name: 'gRPC with gzip, npm', language: 'javascript', kind: 'grpc', compression: 'gzip' },
  { name: 'protobuf, PyPI', language: 'python', kind: 'http', compression: 'none' },
  { name: 'protobuf with gzip, PyPI', language: 'python', kind: 'http', compression: 'gzip' },
  { name: 'gRPC, PyPI', language: 'python', kind: 'grpc', compression: 'none' },
  { name: 'gRPC with gzip, PyPI', language: 'python', kind: 'grpc', compression: 'gzip' },
]

/** Exports the spans as a trace of its own, and returns its runs by start. */
async function exportWith(exporter: Exporter, number: number): Promise<Run[]> {
  const project = aProjectName(`exporter ${number}`)
  const traceId = `${String(number).padStart(2, '0')}${'ab'.repeat(15)}`
  await exportTo(exporter.kind === 'grpc' ? grpc : server.url + TRACES, exporter, project, traceId)
  const runs = await collect(aClient(server.url).listRuns({ projectName: project }))
  return runs.sort((a, b) => (String(a.start_time) < String(b.start_time) ? -1 : 1))
}

async function exportTo(url: string, { language, kind, compression }: Exporter, project: string, traceId: string) {
  const [command, file] =
    language === 'javascript' ? [process.execPath, 'export-spans.mjs'] : [python!, 'export_spans.py']
  const env = {
    PATH: process.env.PATH ?? '',
    OTLP_URL: url,
    PROJECT: project,
    TRACE_ID: traceId,
    COMPRESSION: compression,
  }
  await new Promise<void>((resolve, reject) => {
    execFile(command, [fileURLToPath(new URL(file, import.meta.url)), kind], { env }, (failure, _, stderr) =>
      failure ? reject(new Error(stderr || failure.message)) : resolve(),
    )
  })
}

/** The runs without the ids of their trace and of their project. */
function withoutIds(runs: readonly Run[], number: number): unknown {
  const [first] = runs
  const prefix = String(number).padStart(2, '0')
  const text = JSON.stringify(runs)
    .replaceAll(first?.session_id ?? '', 'project')
    .replaceAll(`${prefix}ababab`, '##ababab')
    .replaceAll(`${prefix}ab-abab`, '##ab-abab')
  return JSON.parse(text, (key, value) => (key === 'app_path' || key === 'received_at' ? undefined : value))
}

describe('the published exporters of OpenTelemetry', () => {
  it('store the same runs, whatever the language, the encoding and the compression', async () => {
    const usable = EXPORTERS.filter(({ language }) => language === 'javascript' || python !== undefined)
    const stored = await Promise.all(
      usable.map(async (exporter) => {
        const number = 10 + EXPORTERS.indexOf(exporter)
        return { name: exporter.name, runs: withoutIds(await exportWith(exporter, number), number) }
      }),
    )
    const [first] = stored
    expect(first?.runs).toMatchObject([
      { name: 'answer', run_type: 'chain', status: 'success', total_tokens: 15 },
      {
        name: 'chat fake-model',
        run_type: 'llm',
        inputs: { messages: [{ role: 'user', content: 'Hi' }] },
        outputs: { messages: [{ role: 'assistant', content: 'Hello' }] },
        prompt_tokens: 12,
        completion_tokens: 3,
      },
      { name: 'weather', run_type: 'tool', status: 'error', error: 'no weather' },
    ])
    for (const { name, runs } of stored) expect(runs, name).toEqual(first?.runs)
  })

  it('learn over gRPC why a request was refused', async () => {
    const port = await freePort()
    const keyed = await startServer({ env: { TOUCHSTONE_OTLP_GRPC_PORT: String(port) } })
    try {
      const headers = { 'content-type': 'application/json' }
      const created = await fetch(`${keyed.url}/api-key`, { method: 'POST', headers, body: '{"description":"one"}' })
      expect(created.status).toBe(200)
      const exported = exportTo(`http://127.0.0.1:${port}`, EXPORTERS[4]!, 'refused', 'ab'.repeat(16))
      await expect(exported).rejects.toThrow('16 UNAUTHENTICATED')
      // Answered before one byte of the message is sent.
      expect(await callWithoutMessage(port)).toBe('16')
    } finally {
      await keyed.stop()
    }
  })
})

/** Opens a call and sends no message. @returns the status of its answer */
async function callWithoutMessage(port: number, headers: Record<string, string> = {}): Promise<string> {
  const session = connect(`http://127.0.0.1:${port}`)
  try {
    const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
    const fixed = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' }
    const stream = session.request({ ...fixed, ...headers }, { endStream: false })
    return await new Promise((resolve, reject) => {
      stream.on('error', reject)
      const read = (answer: Record<string, unknown>) => {
        if (answer['grpc-status'] !== undefined) resolve(String(answer['grpc-status']))
      }
      stream.on('response', read)
      stream.on('trailers', read)
    })
  } finally {
    session.destroy()
  }
}

describe('senders over gRPC that announce messages and do not send them', () => {
  it('take places from the others for a limited time, and no memory', async () => {
    const port = Number(new URL(grpc).port)
    const sessions = Array.from({ length: 20 }, () => connect(`http://127.0.0.1:${port}`))
    try {
      const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
      const before = await server.residentBytes()
      for (const session of sessions) {
        session.on('error', () => undefined)
        for (let at = 0; at < 3; at++) {
          const stream = session.request(
            { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
            { endStream: false },
          )
          stream.on('error', () => undefined)
          // A message of 60 MiB, of which 2 MiB are sent.
          const head = Buffer.alloc(5)
          head.writeUInt32BE(60 << 20, 1)
          stream.write(Buffer.concat([head, Buffer.alloc(2 << 20)]))
        }
      }
      // Over HTTP the server still answers, and holds what four of the sixty senders sent.
      const response = await fetch(`${server.url}/ok`)
      expect(response.ok).toBe(true)
      await expect.poll(() => server.residentBytes()).toBeLessThan(before + (100 << 20))
    } finally {
      for (const session of sessions) session.destroy()
    }
    // Their places are free again.
    const runs = await exportWith(EXPORTERS[4]!, 90)
    expect(runs).toHaveLength(3)
  })
})

describe('a port for gRPC that is taken', () => {
  it('is named when the server starts', async () => {
    const env = { TOUCHSTONE_OTLP_GRPC_PORT: new URL(grpc).port }
    await expect(startServer({ env })).rejects.toThrow(`gRPC port ${new URL(grpc).port} cannot be opened`)
  })
})
