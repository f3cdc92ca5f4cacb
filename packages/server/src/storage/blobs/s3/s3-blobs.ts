import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ApiError } from '@touchstone/contract'
import { type Blobs, isBlobKey, type StoredBlob, UnsatisfiableRangeError } from '../port.ts'
import { RemovalHolds } from '../removal-holds.ts'
import { RemovalMarks } from './removal-marks.ts'
import type { ListedObject, ObjectHead, S3Objects } from './s3-objects.ts'

export interface S3BlobsOptions {
  /** Begins the name of every object. */
  readonly prefix: string
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number
  /** Called when a removal has left its mark and nothing is decided yet; for tests of races. */
  readonly afterMark?: () => Promise<void>
  /** Milliseconds for which marks of ended removals are kept at least. @default a minute */
  readonly keepMarksMs?: number
  readonly close?: () => void
}

/** Metadata of a blob: when it was put or touched last, in milliseconds since 1970 by the clock of the process. */
const PUT_AT = 'put-at'

/** S3 prints times in whole seconds; a blob may have been put later in that second. */
const TIME_STEP_MS = 1_000

/** A removal may delete what was put, so a put is repeated; more often than this, something else deletes it. */
const MAX_PUTS = 5

/**
 * Stores blobs as objects `{prefix}blobs/{key}`. Objects `{prefix}removals/{key}` are marks of removals. All bytes are
 * written again by each put, because S3 replaces an object in one step and knows the time of it.
 */
export function createS3Blobs(objects: S3Objects, options: S3BlobsOptions): Blobs {
  const { prefix, clock = Date.now, keepMarksMs = 60_000 } = options
  const [blobs, removals] = [`${prefix}blobs/`, `${prefix}removals/`]
  const nameOf = (key: string) => blobs + key
  const marks = new RemovalMarks(objects, (key) => removals + key)
  const holds = new RemovalHolds()
  const metadata = () => ({ [PUT_AT]: String(clock()) })

  const has = async (key: string) => isBlobKey(key) && (await objects.head(nameOf(key))) !== undefined

  async function put(bytes: Uint8Array): Promise<string> {
    const key = createHash('sha256').update(bytes).digest('hex')
    for (let attempt = 0; attempt < MAX_PUTS; attempt++) {
      await objects.put(nameOf(key), bytes, metadata())
      if (!(await marks.wasRemoving(key)) || (await has(key))) return key
    }
    throw new Error(`The object ${nameOf(key)} was deleted each time it was written.`)
  }

  async function remove(key: string, notSinceMs: number): Promise<boolean> {
    const head = await objects.head(nameOf(key))
    if (head === undefined || lastPutMs(head) >= notSinceMs) return false
    const isOld = async () => {
      await options.afterMark?.()
      const now = await objects.head(nameOf(key))
      return now !== undefined && lastPutMs(now) < notSinceMs
    }
    return marks.removing(key, isOld, () => objects.remove(nameOf(key), head.isVersioned))
  }

  return explainFailures({
    put,
    async touch(key) {
      if (!isBlobKey(key) || !(await objects.replaceMetadata(nameOf(key), metadata()))) return false
      return !(await marks.wasRemoving(key)) || has(key)
    },
    async get(key) {
      const found = isBlobKey(key) ? await objects.open(nameOf(key), undefined) : undefined
      return found && buffer(found.bytes)
    },
    open: async (key, range) => (isBlobKey(key) ? objects.open(nameOf(key), range) : undefined),
    has,
    async *list() {
      for await (const page of objects.list(blobs)) {
        const found = page.map((one) => toStoredBlob(one, blobs)).filter(({ key }) => isBlobKey(key))
        if (found.length > 0) yield found
      }
    },
    remove: async (key, notSinceMs) => isBlobKey(key) && holds.unlessHeld(() => remove(key, notSinceMs)),
    async removeLeftovers(beforeMs) {
      let removed = 0
      const before = Math.min(beforeMs, Date.now() - keepMarksMs) - TIME_STEP_MS
      for await (const page of objects.list(removals)) {
        for (const { name, modifiedMs } of page) {
          if (modifiedMs >= before) continue
          const head = await objects.head(name)
          if (head === undefined) continue
          await objects.remove(name, head.isVersioned)
          removed++
        }
      }
      return removed
    },
    holdRemovals: () => holds.hold(),
    async close() {
      options.close?.()
    },
  })
}

function lastPutMs({ metadata, modifiedMs }: ObjectHead): number {
  const putAt = Number(metadata[PUT_AT])
  // An object that another program copied here.
  return Number.isFinite(putAt) ? putAt : modifiedMs + TIME_STEP_MS
}

/** `lastPutMs` of a list is the time of S3; `remove` compares the time of the process that put it. */
function toStoredBlob({ name, size, modifiedMs }: ListedObject, prefix: string): StoredBlob {
  return { key: name.slice(prefix.length), size, lastPutMs: modifiedMs }
}

/** Turns failures of S3, after the retries of its client, into errors that a caller may repeat. */
function explainFailures(blobs: Blobs): Blobs {
  const explained = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof UnsatisfiableRangeError) throw error
      const message = 'The object store of this server (S3) does not work at the moment. Send the request again later.'
      throw new ApiError('UNAVAILABLE', message, { cause: error, retryAfterSeconds: 5 })
    }
  }
  return {
    ...blobs,
    put: (bytes) => explained(blobs.put(bytes)),
    touch: (key) => explained(blobs.touch(key)),
    get: (key) => explained(blobs.get(key)),
    open: (key, range) => explained(blobs.open(key, range)),
    has: (key) => explained(blobs.has(key)),
    remove: (key, notSinceMs) => explained(blobs.remove(key, notSinceMs)),
  }
}
