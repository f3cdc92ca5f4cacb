import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface Part {
  name: string
  type: string
  data: Buffer
}

export interface Recorded {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
  at: number
}

/** A run put together from what arrived for it, in whatever form. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
export type RecordedRun = Record<string, any>

type Answer = { status?: number; body?: unknown; headers?: Record<string, string>; hang?: boolean; reset?: boolean }
type Responder = (request: Recorded, earlier: number) => Answer | undefined | Promise<Answer | undefined>

/** A real HTTP server that records requests and sends the responses set by the test; the default is 202 with an empty object. */
export class Recorder {
  readonly requests: Recorded[] = []
  /** Answer of `/info`; 404 when undefined. */
  info: unknown = { version: '0.17.0', batch_ingest_config: { use_multipart_endpoint: true }, instance_flags: {} }
  #respond: Responder = () => undefined
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  static async start(respond?: Responder): Promise<Recorder> {
    const recorder = new Recorder()
    if (respond) recorder.#respond = respond
    await new Promise<void>((resolve) => recorder.#server.listen(0, '127.0.0.1', resolve))
    return recorder
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1`
  }

  respond(respond: Responder): void {
    this.#respond = respond
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Requests other than `/info`. */
  get calls(): Recorded[] {
    return this.requests.filter(({ path }) => path !== '/info')
  }

  /** Every run that was accepted, creates and updates laid over each other as a server would. */
  get runs(): RecordedRun[] {
    const runs = new Map<string, RecordedRun>()
    for (const request of this.calls) {
      for (const { id, kind, ...run } of runsOf(request)) {
        const known = runs.get(id) ?? { id, kinds: [] }
        const given = Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null))
        runs.set(id, { ...known, ...given, kinds: [...known.kinds, kind] })
      }
    }
    return [...runs.values()]
  }

  run(name: string): RecordedRun {
    const found = this.runs.find((run) => run.name === name)
    if (!found) throw new Error(`no run named ${name}; there are ${this.runs.map((run) => run.name)}`)
    return found
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url!, 'http://x')
    const path = url.pathname.replace('/api/v1', '')
    const { method = '', headers } = request
    const raw = Buffer.concat(chunks)
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
    const earlier = this.requests.filter((one) => one.path === path && one.method === method).length
    const recorded = { method, path, query: url.searchParams, headers, body, at: Date.now() }
    this.requests.push(recorded)
    const answer = (await this.#respond(recorded, earlier)) ?? this.#default(path)
    if (answer.hang) return
    if (answer.reset) return void request.socket.destroy()
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...cors, ...answer.headers })
    response.end(
      answer.body === undefined ? '' : typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
    )
  }

  #default(path: string): Answer {
    if (path !== '/info') return { status: 202, body: {} }
    return this.info === undefined ? { status: 404, body: { detail: 'Not Found' } } : { body: this.info }
  }
}

/** The runs a request carries, each with `kind` `post` or `patch`. */
export function runsOf(request: Recorded): RecordedRun[] {
  const { method, path } = request
  if (path === '/runs' && method === 'POST') return [{ kind: 'post', ...JSON.parse(request.body.toString()) }]
  if (method === 'PATCH' && path.startsWith('/runs/'))
    return [{ kind: 'patch', ...JSON.parse(request.body.toString()), id: path.slice(6) }]
  if (path === '/runs/batch') {
    const { post = [], patch = [] } = JSON.parse(request.body.toString())
    const kinded = (kind: string, runs: RecordedRun[]) => runs.map((run) => ({ kind, ...run }))
    return [...kinded('post', post), ...kinded('patch', patch)]
  }
  return path === '/runs/multipart' ? multipartRuns(request) : []
}

function multipartRuns(request: Recorded): RecordedRun[] {
  const runs = new Map<string, RecordedRun>()
  for (const { name, data, type } of partsOf(request)) {
    const [kind, id, field] = name.split('.') as [string, string, string | undefined]
    if (kind === 'feedback') continue
    if (kind === 'attachment') {
      const run = runs.get(id) ?? {}
      run.attachments = { ...run.attachments, [field!]: { type, data } }
      runs.set(id, run)
    } else if (field) runs.get(id)![field] = JSON.parse(data.toString())
    else runs.set(id, { ...JSON.parse(data.toString()), kind })
  }
  return [...runs.values()]
}

/** The parts of a multipart body, with the declared length checked against the real one. */
export function partsOf({ headers, body }: Recorded): Part[] {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1]
  if (!boundary) throw new Error(`not multipart: ${headers['content-type']}`)
  const parts: Part[] = []
  const mark = Buffer.from(`--${boundary}`)
  for (let at = body.indexOf(mark); ; ) {
    const from = at + mark.length
    if (body.subarray(from, from + 2).toString() === '--') return parts
    const head = body.indexOf('\r\n\r\n', from)
    const header = body.subarray(from + 2, head).toString()
    const type = /content-type: (.*)/i.exec(header)![1]!
    const length = Number(/length=(\d+)/.exec(type)![1])
    const data = body.subarray(head + 4, head + 4 + length)
    at = head + 4 + length + 2
    if (!body.subarray(at, at + mark.length).equals(mark)) throw new Error(`wrong length of part ${header}`)
    parts.push({ name: /name="([^"]*)"/.exec(header)![1]!, type: type.replace(/; length=\d+$/, ''), data })
  }
}
