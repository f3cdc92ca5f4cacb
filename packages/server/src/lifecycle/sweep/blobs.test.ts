import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, uuid7 } from '@touchstone/contract'
import { sql as pg } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectDefaultWorkspaceId } from '../../features/accounts/index.ts'
import { openDiskBlobs } from '../../storage/blobs/disk.ts'
import type { Blobs } from '../../storage/blobs/port.ts'
import { openS3Blobs } from '../../storage/blobs/s3/open-s3.ts'
import { bulkJobParts, bulkJobs } from '../../storage/relational/tables/lifecycle.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { createBucket, listVersions, s3Url } from '../../testing/test-s3.ts'
import { settleDeletedBlobs, sweepBlobs } from './blobs.ts'

const GRACE_MS = 60_000

/** Opens a new store; `listRaw` reads everything that it keeps, past the store. */
type NewStore = (clock: () => number) => Promise<{ blobs: Blobs; listRaw: () => Promise<string[]> }>

async function newDisk(clock: () => number) {
  const directory = join(await mkdtemp(join(tmpdir(), 'touchstone-sweep-')), 'blobs')
  const listRaw = async () => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  }
  return { blobs: await openDiskBlobs(directory, { clock }), listRaw }
}

/** A bucket with versions, in which a plain deletion keeps the bytes. */
async function newS3(clock: () => number) {
  const settings = await createBucket({ isVersioned: true })
  const listRaw = async () => (await listVersions(settings)).filter((name) => !name.includes('/removals/'))
  return { blobs: await openS3Blobs(settings, { clock }), listRaw }
}

const stores: readonly (readonly [string, NewStore])[] = [
  ['a disk', newDisk],
  ...(s3Url ? [['S3', newS3] as const] : []),
]

describe.each(stores)('sweeping blobs on %s', (name, newStore) => {
  // The stores have one column store, and a run of either refers to the same bytes.
  const racedText = `raced on ${name}`
  let app: StartedApp
  let blobs: Blobs
  let listRaw: () => Promise<string[]>
  let now = Date.now()
  beforeAll(async () => {
    ;({ blobs, listRaw } = await newStore(() => now))
    app = await startApp({ blobs, clock: () => now })
  })
  afterAll(() => app.close())

  const sweep = (more: Partial<typeof app.deps> = {}) => sweepBlobs({ ...app.deps, ...more }, { graceMs: GRACE_MS })

  async function recordWithAttachment(text: string): Promise<{ id: string; key: string }> {
    const run = aTrace({ project: 'swept' }).post[0]!
    const id = String(run.id)
    const form = new FormData()
    form.append(`post.${id}`, new Blob([JSON.stringify(run)], { type: 'application/json' }))
    form.append(`attachment.${id}.note`, new Blob([text], { type: `text/plain; length=${text.length}` }))
    expect((await app.fetch('/runs/multipart', { method: 'POST', body: form })).status).toBe(202)
    return { id, key: await blobs.put(Buffer.from(text)) }
  }

  async function deleteTrace(id: string): Promise<string> {
    const run = (await app.call(contract.runs.read, { params: { run_id: id } })).body
    const body = { session_id: run.session_id, trace_ids: [id] }
    return (await app.call(contract.runDeletions.delete, { body })).body.deletion_id!
  }

  it('keeps blobs that a run, an example version or an exported file references, whatever their age', async () => {
    const { key } = await recordWithAttachment('kept by a run')
    const ofExample = await blobs.put(Buffer.from('kept by an example'))
    await app.deps.relational.db.execute(pg`
      insert into example_states (tenant_id, dataset_id, example_id, as_of, until, number, created_at, inputs, metadata,
        splits, attachments)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), now(), 1, now(), '{}', '{}', '{}',
        ${JSON.stringify([{ name: 'a\0"hash":"', mime_type: 'x', hash: ofExample, size: 18 }])}`)
    const ofExport = await blobs.put(Buffer.from(`kept by an export on ${name}`))
    const { db } = app.deps.relational
    const job = { id: uuid7(), action: 'export', request: '{}', status: 'done', total: 1 } as const
    const tenant_id = await selectDefaultWorkspaceId(db)
    await db.insert(bulkJobs).values({ ...job, tenant_id, created_at: '2026-01-01T00:00:00Z' })
    await db.insert(bulkJobParts).values({ job_id: job.id, position: 0, blob: ofExport, bytes: 17 })
    now += 10 * GRACE_MS
    await sweep()
    expect(await Promise.all([key, ofExample, ofExport].map((one) => blobs.has(one)))).toEqual([true, true, true])
  })

  it('removes unreferenced blobs after their grace period', async () => {
    const { id, key } = await recordWithAttachment('removed')
    const deletionId = await deleteTrace(id)
    expect(await sweep()).toMatchObject({ removed: 0, unreferenced: 1, unreferencedBytes: 7 })
    now += GRACE_MS + 1
    expect(await sweep()).toMatchObject({ removed: 1, removedBytes: 7, unreferenced: 0 })
    expect(await blobs.has(key)).toBe(false)
    expect((await listRaw()).filter((name) => name.includes(key))).toEqual([])
    await settleDeletedBlobs(app.deps)
    const { body } = await app.call(contract.deletions.read, { params: { deletion_id: deletionId } })
    expect(body).toMatchObject({
      status: 'done',
      remaining: 0,
      analytics: { runs: 1, attachments: 1, attachment_bytes: 7 },
      blobs: { removed: 1, removed_bytes: 7, kept: 0, waiting: 0 },
    })
    expect(await app.deps.metrics.print()).toContain('touchstone_blob_sweep_timestamp_seconds')
  })

  it('records that a blob is kept for another run', async () => {
    const [doomed, other] = [await recordWithAttachment('shared'), await recordWithAttachment('shared')]
    const deletionId = await deleteTrace(doomed.id)
    now += GRACE_MS + 1
    await sweep()
    await settleDeletedBlobs(app.deps)
    const { body } = await app.call(contract.deletions.read, { params: { deletion_id: deletionId } })
    expect(body.blobs).toEqual({ removed: 0, removed_bytes: 0, kept: 1, waiting: 0 })
    expect(await blobs.has(other.key)).toBe(true)
  })

  it('keeps a blob that is put again after its references were read', async () => {
    const key = await blobs.put(Buffer.from(racedText))
    now += GRACE_MS + 1
    let isRaced = false
    const raced: Blobs = {
      ...blobs,
      // The references were looked up; the file is about to go.
      async remove(removed, notSinceMs) {
        if (removed === key) isRaced = (await recordWithAttachment(racedText)).key === key
        return blobs.remove(removed, notSinceMs)
      },
    }
    await sweep({ blobs: raced })
    expect(isRaced).toBe(true)
    expect(await blobs.get(key)).toEqual(Buffer.from(racedText))
    now += GRACE_MS + 1
    await sweep()
    expect(await blobs.has(key)).toBe(true)
  })

  it('removes nothing while a backup blocks removals', async () => {
    const key = await blobs.put(Buffer.from('held'))
    now += GRACE_MS + 1
    const release = await blobs.holdRemovals()
    await sweep()
    expect(await blobs.has(key)).toBe(true)
    release()
    await sweep()
    expect(await blobs.has(key)).toBe(false)
  })
})
