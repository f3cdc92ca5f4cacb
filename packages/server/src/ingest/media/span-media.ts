import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { padSpanId } from '../../storage/analytics/run-aliases.ts'
import { sql, text, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, count, each, text as textColumn } from '../../storage/rows.ts'
import type { Ingest } from '../open-ingest.ts'
import { submit } from '../receive.ts'

export type MediaDeps = Pick<Deps, 'analytics' | 'blobs' | 'clock' | 'config' | 'relational'> & {
  readonly ingest: Ingest
}

/** A file whose bytes are in the blob store. */
export interface StoredMedia {
  readonly name: string
  readonly mime_type: string
  readonly bytes: number
  /** Lower-case hex SHA-256, its key in the blob store. */
  readonly blob: string
}

/**
 * Attaches a file to the run of a span, which may not have arrived: the row has the padded id of the span then, and `attachToRuns`
 * copies it when the span comes. Each of the two writes its rows before it reads those of the other, so one of them sees both.
 * A row whose span never comes is removed after a day.
 */
export async function attachToSpan(
  deps: MediaDeps,
  { tenantId }: Pick<Caller, 'tenantId'>,
  spanId: string,
  media: StoredMedia,
): Promise<void> {
  const padded = padSpanId(spanId)
  await write(deps, tenantId, [{ ...media, run_id: padded }])
  await attachToRuns(deps, tenantId, [spanId], media.name)
}

/** Attaches a file to a run by its id. */
export async function attachToRun(
  deps: MediaDeps,
  { tenantId }: Pick<Caller, 'tenantId'>,
  runId: string,
  media: StoredMedia,
): Promise<void> {
  await write(deps, tenantId, [{ ...media, run_id: runId }])
}

/**
 * Copies the files that came for spans to their runs, where these have other ids than the spans.
 *
 * @param name  of the only file to copy
 */
export async function attachToRuns(
  deps: MediaDeps,
  tenantId: string,
  spanIds: readonly string[],
  name?: string,
): Promise<void> {
  const { analytics } = deps
  const aliases = await analytics.query(
    sql`
      select distinct id, run_id from run_aliases final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids(spanIds.map(padSpanId))} and id != run_id`,
    ALIAS,
  )
  if (aliases.length === 0) return
  const ids = uuids([...new Set(aliases.map(({ id }) => id))])
  const named = name === undefined ? sql`true` : sql`name = ${text(name)}`
  const found = await analytics.query(
    sql`
      select run_id, name, mime_type, blob, bytes from run_attachments final
      where tenant_id = ${uuid(tenantId)} and run_id in ${ids} and ${named}`,
    MEDIA,
  )
  const rows = found.flatMap((row) =>
    aliases.filter(({ id }) => id === row.run_id).map(({ run_id }) => ({ ...row, run_id })),
  )
  await write(deps, tenantId, rows)
}

/** The number of files that a span has, without those of a name. */
export async function countOtherMedia({ analytics }: MediaDeps, tenantId: string, spanId: string, name: string) {
  const [row] = await analytics.query(
    sql`
      select count() as n from run_attachments final
      where tenant_id = ${uuid(tenantId)} and run_id = ${uuid(padSpanId(spanId))} and name != ${text(name)}`,
    columns({ n: count }),
  )
  return row?.n ?? 0
}

const ALIAS = columns(each(['id', 'run_id'], textColumn))
const MEDIA = columns({ ...each(['run_id', 'name', 'mime_type', 'blob'], textColumn), bytes: count })

async function write(
  { ingest }: MediaDeps,
  tenantId: string,
  media: readonly (StoredMedia & { readonly run_id: string })[],
): Promise<void> {
  if (media.length === 0) return
  const items = media.map((one) => {
    const row = { tenant_id: tenantId, ...one, version: ingest.versions.after() }
    return { kind: 'row', tenantId, table: 'run_attachments', json: JSON.stringify(row) } as const
  })
  const [problem] = (await submit(ingest, items)).values()
  if (problem !== undefined) throw new Error(`attachments could not be stored: ${problem}`)
}
