import { isUtf8 } from 'node:buffer'
import { ApiError, contract } from '@touchstone/contract'
import { type ByteRange, type JsonMember, JsonProblem, JsonTooComplex } from '@touchstone/formats/scan-json'
import type { FastifyRequest } from 'fastify'
import { readBoundary, splitMultipart } from '../http/multipart.ts'
import { readBody } from '../http/read-body.ts'
import { type App, serveRaw } from '../http/serve.ts'
import { cutBrokenLists, repairNumbersInSlices, scanJson } from '../json/in-slices.ts'
import { collectParts } from './collect-parts.ts'
import { LARGE_BYTES, type RawRun, type RawText } from './open-run.ts'
import { type ReceiptDeps, recordReceipt } from './receipts/record-receipts.ts'
import { type ReceiveDeps, receive } from './receive.ts'

/** The routes of the write path: bodies are read as bytes and cut, never printed again. */
export function ingestRoutes(app: App, deps: ReceiveDeps & ReceiptDeps): void {
  const { runs } = contract

  serveRaw(app, runs.create, ({ request, caller }) =>
    recordReceipt(deps, { request, caller }, async (notes) => {
      const bytes = await readRun(deps, request)
      return receive(deps, caller, { runs: withChildren('post', bytes) }, 'Run created', notes)
    }),
  )

  serveRaw(app, runs.update, ({ request, caller, params }) =>
    recordReceipt(deps, { request, caller }, async (notes) => {
      const bytes = await readRun(deps, request)
      const run: RawRun = { kind: 'patch', id: params.run_id, main: rawText(bytes) }
      return receive(deps, caller, { runs: [run] }, 'Run updated', notes)
    }),
  )

  serveRaw(app, runs.batch, ({ request, caller }) =>
    recordReceipt(deps, { request, caller }, async (notes) => {
      const { bytes, members } = await readBatch(deps, request)
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

/** The bytes of one run; those of a run with NaN or Infinity as they were sent, because opening it repairs and reports them. */
async function readRun(deps: ReceiveDeps, request: FastifyRequest): Promise<Buffer> {
  const bytes = await read(deps, request)
  if (!isUtf8(bytes)) throw refused('the body is not valid UTF-8')
  const { kind } = await scan(bytes).catch((error: unknown) => scanRepaired(bytes, error))
  if (kind !== 'object') throw refused('the body is not a JSON object')
  return bytes
}

/** @param refusal  thrown when the bytes are not JSON for another reason: it names their position */
async function scanRepaired(bytes: Buffer, refusal: unknown) {
  const repaired = await repairNumbersInSlices(bytes.toString('utf8'))
  if (repaired === undefined) throw refusal
  return scan(Buffer.from(repaired.text)).catch(() => {
    throw refusal
  })
}

/** The members of a batch. What is wrong inside of one run is found when that run is read. */
async function readBatch(deps: ReceiveDeps, request: FastifyRequest): Promise<RawObject> {
  const bytes = await read(deps, request)
  try {
    const { kind, members } = await scan(bytes)
    if (kind !== 'object') throw refused('the body is not a JSON object')
    if (!hasRuns(members) && !isUtf8(bytes)) throw refused('the body is not valid UTF-8')
    return { bytes, members }
  } catch (error) {
    const members = await cutBrokenLists(bytes)
    if (members !== undefined && hasRuns(members)) return { bytes, members }
    throw error
  }
}

const hasRuns = (members: readonly JsonMember[]) =>
  members.some(({ key, elements }) => (key === 'post' || key === 'patch') && elements.length > 0)

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
  const cut = ({ start, end }: ByteRange) => bytes.subarray(start, end)
  const read = isUtf8(bytes) ? rawText : checkedText
  for (const range of lists.post) yield* withChildren('post', cut(range), read)
  for (const range of lists.patch) yield { kind: 'patch', main: read(cut(range)) }
}

/** Old clients nest whole runs in `child_runs`; each becomes a separate run. */
async function* withChildren(kind: 'post', run: Buffer, read = rawText): AsyncGenerator<RawRun> {
  const open = [run]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield { kind, main: read(next) }
    if (!next.includes('"child_runs"')) continue
    const parent = next
    const members = (await findMembers(parent)) ?? []
    const children = members.findLast(({ key }) => key === 'child_runs')?.elements ?? []
    open.push(...children.map(({ start, end }) => parent.subarray(start, end)).reverse())
  }
}

/** The members of a run, also of one that is not JSON, whose children may be. */
async function findMembers(run: Buffer): Promise<readonly JsonMember[] | undefined> {
  try {
    return (await scanJson(run, { cutLists: true })).members
  } catch (error) {
    if (error instanceof JsonProblem) return cutBrokenLists(run)
    if (error instanceof JsonTooComplex) return undefined
    throw error
  }
}

/** Bytes that are not UTF-8 stay bytes: the run that they belong to is refused when it is opened. */
const checkedText = (bytes: Buffer): RawText => (isUtf8(bytes) ? rawText(bytes) : bytes)
const rawText = (bytes: Buffer): RawText => (bytes.length > LARGE_BYTES ? bytes : bytes.toString('utf8'))
