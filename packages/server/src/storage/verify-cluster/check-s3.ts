import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { S3Settings } from '../../config.ts'
import type { Blobs } from '../blobs/port.ts'
import { openS3Blobs } from '../blobs/s3/open-s3.ts'
import { type CheckResult, compareClocks, type Finding, firstLine, runChecks } from './results.ts'

/** Checks what the server does in its bucket with one blob, and removes it again. */
export async function checkS3(settings: S3Settings): Promise<CheckResult[]> {
  let blobs: Blobs | undefined
  const reached = await runChecks('S3', [
    {
      check: 'connection',
      remedy: 'Correct the settings TOUCHSTONE_S3_*.',
      run: async () => {
        // Marks of the removal below are removed at once.
        blobs = await openS3Blobs(settings, { keepMarksMs: -60_000 })
        return `lists the bucket ${settings.bucket}`
      },
    },
  ])
  if (blobs === undefined) return reached
  const results = await checkBlobs(blobs)
  await blobs.close()
  return [...reached, ...results]
}

async function checkBlobs(blobs: Blobs): Promise<CheckResult[]> {
  const bytes = randomBytes(64)
  const later = () => Date.now() + 60_000
  let key = ''
  const allow = (permission: string) => `Allow ${permission} on the bucket.`
  return runChecks('S3', [
    {
      check: 'write',
      remedy: allow('s3:PutObject'),
      run: explained(async () => {
        key = await blobs.put(bytes)
        return 'puts an object'
      }),
    },
    {
      check: 'read',
      remedy: allow('s3:GetObject'),
      run: explained(async () => {
        const found = await blobs.open(key, { first: 8, last: 15 })
        const part = found && (await buffer(found.bytes))
        if (!part?.equals(bytes.subarray(8, 16))) throw new Error('a range of the object has other bytes than were put')
        return 'reads a range'
      }),
    },
    {
      check: 'copy',
      remedy: `${allow('s3:GetObject and s3:PutObject')} The store must support copies of an object onto itself with other metadata.`,
      run: explained(async () => {
        const since = Date.now()
        if (!(await blobs.touch(key))) throw new Error('the object was not found')
        if (await blobs.remove(key, since)) throw new Error('the store did not change the metadata of the object')
        return 'changes the time of an object'
      }),
    },
    {
      check: 'clock',
      remedy: 'Synchronize the clocks.',
      run: explained(() => compareClocks(() => readLastPut(blobs, key), 2_000)),
    },
    {
      check: 'delete',
      remedy: `${allow('s3:DeleteObject')} With versions, allow s3:ListBucketVersions and s3:DeleteObjectVersion too.`,
      run: explained(async () => {
        if (!(await blobs.remove(key, later())) || (await blobs.has(key))) throw new Error('the object is still there')
        await blobs.removeLeftovers(later())
        return 'deletes an object and its versions'
      }),
    },
  ])
}

async function readLastPut(blobs: Blobs, key: string): Promise<number> {
  for await (const page of blobs.list()) {
    const found = page.find((one) => one.key === key)
    if (found !== undefined) return found.lastPutMs
  }
  throw new Error('the object is not in the list of the bucket')
}

/** The driver hides the reason of the store from callers of the API. */
function explained(run: () => Promise<Finding>): () => Promise<Finding> {
  return () =>
    run().catch((error: Error) => {
      const cause = error.cause instanceof Error ? error.cause : error
      throw new Error(`${cause.name === 'Error' ? '' : `${cause.name}: `}${firstLine(cause)}`, { cause: error })
    })
}
