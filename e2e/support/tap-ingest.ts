import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import * as zlib from 'node:zlib'

type Fields = Record<string, unknown>

/** A proxy between a client and the server that records what the client sent. */
export interface Tap {
  /** URL for the client, instead of the server's. */
  readonly url: string
  /** The data that the client sent for a run, with its creates and updates merged; null means "not given". */
  sent(runId: string): Fields
  runIds(): string[]
  /** Content encodings of the multipart bodies, `identity` if none was given. */
  encodings(): string[]
  close(): Promise<void>
}

/**
 * Passes every request on unchanged. Bodies compressed with zstd are recorded only if this Node can decompress them, so
 * Python clients whose fields are compared must send plain bodies. The JavaScript client uses the encodings of its
 * Node.
 */
export async function tapIngest(serverUrl: string): Promise<Tap> {
  const runs = new Map<string, Fields>()
  const encodings: string[] = []
  const note = (id: string, fields: Fields) => {
    const given = Object.entries(fields).filter(([, value]) => value !== null)
    runs.set(id, { ...runs.get(id), ...Object.fromEntries(given) })
  }

  const proxy = createServer(async (incoming, answer) => {
    const body = await readBody(incoming)
    if (incoming.url?.includes('/runs/multipart')) encodings.push(incoming.headers['content-encoding'] ?? 'identity')
    await noteWrites(incoming, body, note)
    passOn(serverUrl, incoming, body, answer)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    sent: (id) => runs.get(id) ?? {},
    runIds: () => [...runs.keys()],
    encodings: () => encodings,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        proxy.closeAllConnections()
      }),
  }
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function passOn(serverUrl: string, incoming: IncomingMessage, body: Buffer, answer: ServerResponse) {
  const { host: _, 'transfer-encoding': __, ...headers } = incoming.headers
  const onward = request(
    `${serverUrl}${incoming.url}`,
    { method: incoming.method!, headers: { ...headers, 'content-length': body.length } },
    (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(answer)
    },
  )
  onward.once('error', () => answer.destroy())
  onward.end(body)
}

async function noteWrites(incoming: IncomingMessage, body: Buffer, note: (id: string, fields: Fields) => void) {
  const path = new URL(incoming.url!, 'http://tap').pathname
  const plain = unpack(body, incoming.headers['content-encoding'])
  if (plain === undefined) return
  if (incoming.method === 'POST' && path.endsWith('/runs/multipart')) {
    for (const [id, fields] of await fieldsOfParts(plain, incoming.headers['content-type']!)) note(id, fields)
  } else if (incoming.method === 'POST' && path.endsWith('/runs/batch')) {
    const { post = [], patch = [] } = JSON.parse(plain.toString()) as Record<string, (Fields & { id: string })[]>
    for (const run of [...post, ...patch]) note(run.id, run)
  } else if (incoming.method === 'POST' && path.endsWith('/runs')) {
    const run = JSON.parse(plain.toString()) as Fields & { id: string }
    note(run.id, run)
  } else if (incoming.method === 'PATCH' && path.includes('/runs/')) {
    note(path.split('/').at(-1)!, JSON.parse(plain.toString()))
  }
}

/** @returns `undefined` when this Node cannot decompress it */
function unpack(body: Buffer, encoding = 'identity'): Buffer | undefined {
  if (encoding === 'gzip') return zlib.gunzipSync(body)
  if (encoding !== 'zstd') return body
  return 'zstdDecompressSync' in zlib ? (zlib.zstdDecompressSync as (packed: Buffer) => Buffer)(body) : undefined
}

/** Parts in order: `post.{id}` holds a run's scalars, `post.{id}.inputs` one field, attachments are not JSON. */
async function fieldsOfParts(body: Buffer, contentType: string): Promise<[string, Fields][]> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  const found: [string, Fields][] = []
  for (const [name, value] of form.entries()) {
    const [kind, id, field] = name.split('.')
    if (kind !== 'post' && kind !== 'patch') continue
    const parsed: unknown = JSON.parse(typeof value === 'string' ? value : await value.text())
    found.push([id!, field === undefined ? (parsed as Fields) : { [field]: parsed }])
  }
  return found
}
