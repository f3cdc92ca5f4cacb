import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { ApiError, type RefusedRuns, type RetriedRuns } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Problems } from '../../outcome.ts'
import type { IngestItem } from '../ingest-item.ts'
import { PAYLOAD_FIELDS, RawPayload, type RunWrite } from '../run-write.ts'
import { WAS_DELETED } from '../write-runs.ts'
import { appendRefused, type RefusedLine, toPath } from './keep-refused.ts'

type RetryDeps = Pick<Deps, 'config' | 'clock'> & {
  readonly submit: (items: readonly IngestItem[]) => Promise<Problems<IngestItem>>
}

/** Refused items that are shown. */
const SHOWN = 100
/** Items and characters that are offered at once. */
const AT_ONCE = 200
const MAX_LENGTH = 16 << 20

/** The file of refused items while they are offered again; items that are refused meanwhile go to a new one. */
const toRetryPath = (path: string) => `${path}.retrying`

/** Counts the refused items of a workspace, and shows the first of them. */
export async function listRefused({ config }: Pick<Deps, 'config'>, tenantId: string): Promise<RefusedRuns> {
  const path = toPath(config.dataDir, tenantId)
  const items: RefusedRuns['items'] = []
  let total = 0
  for (const file of [toRetryPath(path), path]) {
    for await (const line of readLines(file)) {
      total++
      if (items.length === SHOWN) continue
      const { at, reason, item } = JSON.parse(line) as RefusedLine
      items.push({ at, reason, id: item.kind === 'run' ? item.write.id : null })
    }
  }
  return { total, items }
}

const retrying = new Set<string>()

/**
 * Offers the refused items of a workspace to the store again, as if they had just been sent. What is refused again is kept
 * again; a failure in between loses nothing.
 *
 * @throws ApiError CONFLICT while they are being offered, UNAVAILABLE when the journal cannot be written
 */
export async function retryRefused(deps: RetryDeps, tenantId: string): Promise<RetriedRuns> {
  const path = toPath(deps.config.dataDir, tenantId)
  if (retrying.has(path)) throw new ApiError('CONFLICT', 'The refused runs are already being stored again.')
  retrying.add(path)
  try {
    // A file that an interrupted retry left comes first.
    const left = await retryFile(deps, tenantId, path)
    if (!(await moveIfExists(path, toRetryPath(path)))) return left
    const { accepted, refused } = await retryFile(deps, tenantId, path)
    return { accepted: left.accepted + accepted, refused: left.refused + refused }
  } finally {
    retrying.delete(path)
  }
}

async function retryFile(deps: RetryDeps, tenantId: string, path: string): Promise<RetriedRuns> {
  const file = toRetryPath(path)
  let accepted = 0
  let refused = 0
  let done = 0
  try {
    for await (const lines of readBatches(file)) {
      const items = lines.map((line) => toItem(JSON.parse(line) as RefusedLine, tenantId))
      const problems = await deps.submit(items)
      await appendRefused(deps, tenantId, new Map([...problems].filter(([, reason]) => !reason.endsWith(WAS_DELETED))))
      accepted += items.length - problems.size
      refused += problems.size
      done += lines.length
    }
  } catch (error) {
    await keepRest(file, done)
    throw error
  }
  await rm(file, { force: true })
  return { accepted, refused }
}

/** Removes the first lines of a file. */
async function keepRest(file: string, done: number): Promise<void> {
  if (done === 0) return
  const rest = await open(`${file}.rest`, 'w', 0o600)
  try {
    let at = 0
    for await (const line of readLines(file)) if (at++ >= done) await rest.appendFile(`${line}\n`)
    await rest.datasync()
  } finally {
    await rest.close()
  }
  await rename(`${file}.rest`, file)
}

function toItem({ item }: RefusedLine, tenantId: string): IngestItem {
  if (item.kind !== 'run') return { ...item, tenantId }
  const payloads = PAYLOAD_FIELDS.flatMap((field) => {
    const text = item.write[field]
    return text === undefined ? [] : [[field, RawPayload.trusted(text)] as const]
  })
  return { kind: 'run', tenantId, write: { ...item.write, ...Object.fromEntries(payloads) } as RunWrite }
}

async function* readBatches(file: string): AsyncGenerator<readonly string[]> {
  let lines: string[] = []
  let length = 0
  for await (const line of readLines(file)) {
    lines.push(line)
    length += line.length
    if (lines.length < AT_ONCE && length < MAX_LENGTH) continue
    yield lines
    lines = []
    length = 0
  }
  if (lines.length > 0) yield lines
}

/** Lines of a file; none when it does not exist. A last line that a power cut left without its end is passed over. */
async function* readLines(path: string): AsyncGenerator<string> {
  const file = await openIfExists(path)
  if (file === undefined) return
  try {
    for await (const line of createInterface({ input: file.createReadStream({ autoClose: false }) })) {
      if (line.endsWith('}')) yield line
    }
  } finally {
    await file.close()
  }
}

async function openIfExists(path: string) {
  try {
    return await open(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function moveIfExists(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

const isMissing = (error: unknown) => (error as { readonly code?: unknown }).code === 'ENOENT'
