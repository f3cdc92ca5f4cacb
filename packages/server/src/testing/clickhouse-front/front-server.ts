import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { readEngineCode } from '../../storage/analytics/store-failure.ts'
import type { FrontEngine, FrontRequest } from './front-engine.ts'

/** Parameters of the URL that are neither settings nor parameters of the statement. */
const OF_REQUEST = new Set([
  'query',
  'database',
  'query_id',
  'session_id',
  'default_format',
  'role',
  'user',
  'password',
])

/** Settings of the HTTP interface, which the engine below it does not have. */
const OF_INTERFACE =
  /^(wait_end_of_query|enable_http_compression|http_\w+|send_progress_in_http_headers|cancel_http_readonly_queries_on_client_close)$/

/** Answers `GET /ping` and statements as ClickHouse does over HTTP, for `@clickhouse/client`. */
export function createFront(engine: FrontEngine): Server {
  return createServer((request, response) => {
    answer(engine, request, response).catch((error: Error) => sendError(response, error))
  })
}

async function answer(engine: FrontEngine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://front')
  if (url.pathname === '/ping') return void response.end('Ok.\n')
  const { call, isCompressed } = await readCall(request, url)
  response.setHeader('x-clickhouse-query-id', url.searchParams.get('query_id') ?? '')
  response.setHeader(
    'x-clickhouse-summary',
    '{"read_rows":"0","read_bytes":"0","written_rows":"0","written_bytes":"0"}',
  )
  response.setHeader('x-clickhouse-format', call.format)
  const found = await engine.run(call)
  if (!isCompressed) return void response.end(found)
  response.setHeader('content-encoding', 'gzip')
  response.end(await promisify(gzip)(found))
}

async function readCall(
  request: IncomingMessage,
  { searchParams }: URL,
): Promise<{ readonly call: FrontRequest; readonly isCompressed: boolean }> {
  const sent = await buffer(request)
  const body = request.headers['content-encoding'] === 'gzip' ? await promisify(gunzip)(sent) : sent
  const form = await readForm(request, body)
  const fields = [...searchParams, ...form]
  const named = (wanted: (name: string) => boolean) => fields.filter(([name]) => wanted(name))
  const params = named((name) => name.startsWith('param_')).map(([name, value]) => [name.slice('param_'.length), value])
  const settings = named((name) => !name.startsWith('param_') && !OF_REQUEST.has(name) && !OF_INTERFACE.test(name))
  const query = fields.find(([name]) => name === 'query')?.[1]
  const isInsert = query !== undefined && form.length === 0 && body.length > 0
  const wantsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  return {
    isCompressed: wantsGzip && searchParams.get('enable_http_compression') === '1',
    call: {
      database: searchParams.get('database') ?? 'default',
      settings: Object.fromEntries(settings),
      params: Object.fromEntries(params),
      statement: query ?? body.toString(),
      format: searchParams.get('default_format') ?? 'TabSeparated',
      rows: isInsert ? body : undefined,
    },
  }
}

/** Fields of a form, which the client sends when the parameters of a statement are too long for a URL. */
async function readForm(request: IncomingMessage, body: Buffer): Promise<[string, string][]> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return []
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  return [...form].map(([name, value]) => [name, String(value)])
}

/** Statuses of codes, as ClickHouse has them; 500 for others. */
const STATUSES = new Map([
  [36, 400],
  [43, 400],
  [47, 404],
  [60, 404],
  [62, 400],
  [81, 404],
  [159, 408],
  [516, 403],
])

/** The form of exceptions: their code in a header, the text as body. */
function sendError(response: ServerResponse, error: Error): void {
  const code = readEngineCode(error) ?? 1
  response.removeHeader('content-encoding')
  response.writeHead(STATUSES.get(code) ?? 500, {
    'content-type': 'text/plain; charset=UTF-8',
    'x-clickhouse-exception-code': String(code),
  })
  response.end(error.message)
}
