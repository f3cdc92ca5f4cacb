import { type Deletion, timeOfEpochMs, toStorable } from '@touchstone/contract'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Analytics } from './analytics/port.ts'
import { sql as analyticsSql, type Fragment, text, uint, uuid } from './analytics/sql.ts'
import { toRow, toRows } from './relational/migrate.ts'
import type { Database, Relational } from './relational/port.ts'
import { deletionBlobs, deletions } from './relational/tables/lifecycle.ts'
import { COUNT_ROW, columns, count, text as string } from './rows.ts'

export interface RecordDeps {
  readonly relational: Relational
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A new UUID. */
  readonly ids: () => string
}

export interface DeletionSubject {
  readonly tenantId: string
  readonly kind: Deletion['kind']
  /** Description, e.g. `Project "checkout"`. */
  readonly subject: string
  readonly requestedBy: string | undefined
  /** Id of the person or key, who may read the record of a deleted workspace. */
  readonly requesterId?: string | undefined
  /** Parts of one deletion pass the same id and add to one record. @default a new id */
  readonly id?: string
}

/** Rows by kind; `attachment_bytes` is in bytes. */
export interface DeletionCounts {
  readonly runs?: number
  readonly feedback?: number
  readonly attachments?: number
  readonly attachment_bytes?: number
  readonly examples?: number
  readonly queue_items?: number
  readonly shares?: number
}

export interface ReleasedBlob {
  readonly key: string
  /** Bytes. */
  readonly size: number
}

/** Record of a deletion in progress. A deletion that finds nothing stores no record. */
export interface DeletionRecord {
  readonly id: string
  /** Stores the record even if nothing is counted yet. */
  begin(): Promise<void>
  /** Adds to the counts. Call it before the rows are removed, so that a crash cannot hide them. */
  count(counts: DeletionCounts): Promise<void>
  /** Stores which blobs lose a reference; the sweep reports whether they were removed. */
  noteBlobs(blobs: readonly ReleasedBlob[]): Promise<void>
  /** Adds the number of rows that the verification still found. */
  addRemaining(rows: number): void
}

/**
 * Runs a deletion and keeps a record of what it removed. `work` counts what it removes and, at its end, what a query
 * still finds.
 */
export async function recordDeletion<Result>(
  deps: RecordDeps,
  subject: DeletionSubject,
  work: (record: DeletionRecord) => Promise<Result>,
): Promise<Result> {
  const record = new StoredRecord(deps, subject)
  try {
    const result = await work(record)
    await record.end()
    return result
  } catch (error) {
    await record.fail().catch(() => {}) // the caller gets the first error
    throw error
  }
}

/** Starts the record of a deletion that a job continues by calling `recordDeletion` with the same id. */
export async function beginRecord(
  deps: RecordDeps,
  subject: DeletionSubject & { readonly id: string },
  counts: DeletionCounts,
): Promise<void> {
  const record = new StoredRecord(deps, subject)
  await record.begin()
  await record.count(counts)
}

const BLOBS_AT_ONCE = 5_000

class StoredRecord implements DeletionRecord {
  readonly id: string
  #isStored = false
  #left = 0

  constructor(
    private readonly deps: RecordDeps,
    private readonly about: DeletionSubject,
  ) {
    this.id = about.id ?? deps.ids()
  }

  begin(): Promise<void> {
    return this.#open()
  }

  async count(counts: DeletionCounts): Promise<void> {
    const given = Object.entries(counts).filter(([, n]) => n > 0)
    if (given.length === 0) return
    await this.#open()
    const added = given.map(([name, n]) => [name, sql`${deletions[name as keyof DeletionCounts]} + ${n}::bigint`])
    await this.#update(Object.fromEntries(added))
  }

  async noteBlobs(blobs: readonly ReleasedBlob[]): Promise<void> {
    if (blobs.length === 0) return
    await this.#open()
    for (let at = 0; at < blobs.length; at += BLOBS_AT_ONCE) {
      const some = blobs.slice(at, at + BLOBS_AT_ONCE)
      const keys = some.map((blob) => blob.key).join(',')
      const sizes = some.map((blob) => blob.size).join(',')
      await this.deps.relational.db.execute(sql`
        insert into ${deletionBlobs} (deletion_id, blob, bytes)
        select ${this.id}::uuid, blob, bytes::bigint
        from unnest(string_to_array(${keys}::text, ','), string_to_array(${sizes}::text, ',')) as given (blob, bytes)
        on conflict do nothing`)
    }
  }

  addRemaining(rows: number): void {
    this.#left += rows
  }

  async end(): Promise<void> {
    if (!this.#isStored) return
    const now = this.#now()
    const remaining = sql`coalesce(${deletions.remaining}, 0) + ${this.#left}::bigint`
    await this.#update({ status: 'done', remaining, verified_at: now, ended_at: now })
  }

  async fail(): Promise<void> {
    if (!this.#isStored) return
    const error = 'The server failed during the deletion. Repeat the deletion to finish it.'
    await this.#update({ status: 'failed', error, ended_at: this.#now() })
  }

  async #open(): Promise<void> {
    if (this.#isStored) return
    const now = this.#now()
    const { tenantId, kind, subject, requestedBy, requesterId } = this.about
    const again = { status: 'running', error: null, erased_at: null, ended_at: null, updated_at: now } as const
    await this.deps.relational.db
      .insert(deletions)
      .values({
        id: this.id,
        tenant_id: tenantId,
        kind,
        subject: toSubject(subject),
        requested_by: requestedBy,
        requester_id: requesterId,
        status: 'running',
        created_at: now,
        updated_at: now,
      })
      .onConflictDoUpdate({ target: deletions.id, set: again })
    this.#isStored = true
  }

  async #update(change: object): Promise<void> {
    const { db } = this.deps.relational
    await db
      .update(deletions)
      .set({ ...change, updated_at: this.#now() })
      .where(eq(deletions.id, this.id))
  }

  #now(): string {
    return timeOfEpochMs(this.deps.clock())
  }
}

const MAX_SUBJECT = 500

function toSubject(subject: string): string {
  return toStorable(subject.slice(0, MAX_SUBJECT))
}

const ATTACHMENTS_AT_ONCE = 10_000

/** A blob, its size and the number of attachments that reference it. */
const BLOB_ROW = columns({ key: string, size: count, n: count })

/**
 * Counts the attachments of runs that are about to be deleted, and records the blobs they reference.
 *
 * @param condition  over the columns of `run_attachments`
 */
export async function noteAttachments(
  { analytics }: { readonly analytics: Analytics },
  tenantId: string,
  condition: Fragment,
  record: DeletionRecord,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await analytics.query(
      analyticsSql`
        select blob as key, count() as n, any(bytes) as size from run_attachments final
        where tenant_id = ${uuid(tenantId)} and (${condition}) and blob > ${text(after)}
        group by blob
        order by blob
        limit ${uint(ATTACHMENTS_AT_ONCE)}`,
      BLOB_ROW,
    )
    const attachments = rows.reduce((sum, { n }) => sum + n, 0)
    const attachment_bytes = rows.reduce((sum, { n, size }) => sum + n * size, 0)
    await record.count({ attachments, attachment_bytes })
    await record.noteBlobs(rows)
    const last = rows.at(-1)
    if (last === undefined || rows.length < ATTACHMENTS_AT_ONCE) return
    after = last.key
  }
}

/**
 * Counts example versions that are about to be deleted and their attachments, and records the blobs they reference.
 *
 * @param condition  over the columns of `example_states`, including the tenant
 */
export async function noteExamples(db: Database, condition: SQL, record: DeletionRecord): Promise<void> {
  const counted = await db.execute(sql`select count(*)::int as n from example_states where ${condition}`)
  // As text: a name may hold characters that jsonb rejects. A quotation mark in a name is escaped and does not
  // match.
  const found = await db.execute(sql`
    select parts[1] as key, max(parts[2]::bigint)::float8 as size, count(*)::int as n
    from example_states, lateral regexp_matches(attachments, '"hash":"([0-9a-f]{64})","size":([0-9]+)', 'g') as parts
    where attachments <> '[]' and ${condition}
    group by parts[1]`)
  const blobs = toRows(found, BLOB_ROW)
  await record.count({
    examples: toRow(counted, COUNT_ROW).n,
    attachments: blobs.reduce((sum, { n }) => sum + n, 0),
    attachment_bytes: blobs.reduce((sum, { n, size }) => sum + n * size, 0),
  })
  await record.noteBlobs(blobs)
}
