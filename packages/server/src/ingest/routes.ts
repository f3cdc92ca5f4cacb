import { isUtf8 } from 'node:buffer'
import { ApiError, contract } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { readBoundary, splitMultipart } from '../http/multipart.ts'
import { readBody } from '../http/read-body.ts'
import { type App, serveRaw } from '../http/serve.ts'
import { type ByteRange, type JsonMember, JsonProblem, JsonTooComplex, scanJson } from '../json/scan-json.ts'
import { collectParts } from './collect-parts.ts'
import { LARGE_BYTES, type RawRun, type RawText } from './open-run.ts'
import { type ReceiptDeps, recordReceipt } from './receipts/record-receipts.ts'
import { type ReceiveDeps, receive } from './receive.ts'

/** The routes of the write path: bodies are read as bytes and cut, never printed again. */
export function ingestRoutes(app: App, deps: ReceiveDeps & ReceiptDeps): void {
  const { runs } = contract

  serveRaw(app, runs.create, ({ request, caller }) =>
    recordReceipt(deps, { request, caller }, async (notes) => {
      const { bytes } = await readObject(deps, request)
      return receive(deps, caller, { runs: withChildren('post', bytes) }, 'Run created', notes)
    }),
  )

  serveRaw(app, runs.update, ({ request, caller, params }) =>
    recordReceipt(deps, { request, caller }, async (notes) => {
      const { bytes } = await readObject(deps, request)
      const run: RawRun = { kind: 'patch', id: params.run_id, main: rawText(bytes) }
      return receive(deps, caller, { runs: [run] }, 'Run updated', notes)
    }),
  )

  serveRaw(app, runs.batch, ({ request, caller }) =>
    recordReceipt(deps, { request, caller }, async (notes) => {
      const { bytes, members } = await readObject(deps, request)
      const lists = { post: findRunList(bytes, members, 'post'), patch: findRunList(bytes, members, 'patch') }
      return receive(deps, caller, { runs: readRuns(bytes, lists) }, 'Runs batch ingested', notes)
    }),
  )

  serveRaw(app, runs.multipart, ({ request, caller }) =>
    recordReceipt(deps, { request, caller }, async (notes) => {
      const boundary = readBoundary(request.headers['content-type'])
      const body = await read(deps, request)
      const collected = await collectParts(splitMultipart(body, boundary), deps.config.ingest)
      return receive(deps, caller, collected, 'Accepted', notes)
    }),
  )
}

async function read(deps: ReceiveDeps, request: FastifyRequest): Promise<Buffer> {
  const body = await readBody(request)
  deps.metrics.ingested(0, body.length)
  return body
}

/** A JSON object whose members are found but not parsed. */
interface RawObject {
  readonly bytes: Buffer
  readonly members: readonly JsonMember[]
}

async function readObject(deps: ReceiveDeps, request: FastifyRequest): Promise<RawObject> {
  const bytes = await read(deps, request)
  if (!isUtf8(bytes)) throw refused('the body is not valid UTF-8')
  const { kind, members } = await scan(bytes)
  if (kind !== 'object') throw refused('the body is not a JSON object')
  return { bytes, members }
}

async function scan(bytes: Buffer) {
  try {
    return await scanJson(bytes, { cutLists: true })
  } catch (error) {
    if (error instanceof JsonProblem) throw refused(`the body is not valid JSON at byte ${error.position}`)
    if (error instanceof JsonTooComplex) throw refused(`the body cannot be read: ${error.message}`)
    throw error
  }
}

const refused = (why: string) => new ApiError('INVALID_REQUEST', `Bad request: ${why}`)

/** Returns the runs of a list; of duplicate keys the last one counts, like in `JSON.parse`. */
function findRunList(bytes: Buffer, members: readonly JsonMember[], key: 'post' | 'patch'): readonly ByteRange[] {
  const member = members.findLast((one) => one.key === key)
  if (member === undefined || textAt(bytes, member) === 'null') return []
  if (bytes[member.start] === OPEN_BRACKET) return member.elements
  throw refused(`${key} is not a list of runs`)
}

const OPEN_BRACKET = 0x5b
const textAt = (bytes: Buffer, { start, end }: ByteRange) => bytes.toString('utf8', start, Math.min(end, start + 8))

async function* readRuns(
  bytes: Buffer,
  lists: { readonly post: readonly ByteRange[]; readonly patch: readonly ByteRange[] },
): AsyncGenerator<RawRun> {
  for (const { start, end } of lists.post) yield* withChildren('post', bytes.subarray(start, end))
  for (const { start, end } of lists.patch) yield { kind: 'patch', main: rawText(bytes.subarray(start, end)) }
}

/** Old clients nest whole runs in `child_runs`; each becomes a separate run. */
async function* withChildren(kind: 'post', run: Buffer): AsyncGenerator<RawRun> {
  const open = [run]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield { kind, main: rawText(next) }
    if (!next.includes('"child_runs"')) continue
    const parent = next
    const { members } = await scanJson(parent, { cutLists: true })
    const children = members.findLast(({ key }) => key === 'child_runs')?.elements ?? []
    open.push(...children.map(({ start, end }) => parent.subarray(start, end)).reverse())
  }
}

const rawText = (bytes: Buffer): RawText => (bytes.length > LARGE_BYTES ? bytes : bytes.toString('utf8'))
