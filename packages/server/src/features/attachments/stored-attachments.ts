import { appendTo } from '../../append-to.ts'
import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { ANY_ROW, columns, count, each, text } from '../../storage/rows.ts'
import { type AttachmentOwner, getSigningSecret, type Share, signAttachmentPath } from './signed-urls.ts'

export interface AttachmentUrl {
  /** Absolute when the origin is known, otherwise a path. */
  readonly presigned_url: string
  readonly mime_type: string
}

const RUN_ATTACHMENT = each(['run_id', 'name', 'mime_type', 'blob'], text)

/**
 * Signed URLs of the attachments of runs: run id → attachment name → URL. Runs without attachments are absent.
 *
 * @param origin  origin of this server
 * @param share  the public link through which they are read; the URLs expire with it
 */
export async function readAttachmentUrls(
  deps: Pick<Deps, 'analytics' | 'relational' | 'clock' | 'caches'>,
  tenantId: string,
  runIds: readonly string[],
  { origin = '', share }: { readonly origin?: string | undefined; readonly share?: Share | undefined } = {},
): Promise<Map<string, Record<string, AttachmentUrl>>> {
  const urls = new Map<string, Record<string, AttachmentUrl>>()
  if (!(await mayHaveAttachments(deps, tenantId))) return urls
  const rows = await deps.analytics.query(
    sql`
      select run_id, name, mime_type, blob
      from run_attachments final
      where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(runIds)}
      order by name`,
    columns(RUN_ATTACHMENT),
  )
  if (rows.length === 0) return urls
  const secret = await getSigningSecret(deps)
  const now = deps.clock()
  for (const row of rows) {
    const owner = { kind: 'run', tenantId, id: row.run_id } as const
    const grant = { key: row.blob, mimeType: row.mime_type, name: row.name, owner, share }
    const runUrls = urls.get(row.run_id) ?? {}
    Object.defineProperty(runUrls, row.name, {
      value: { presigned_url: origin + signAttachmentPath(grant, secret, now), mime_type: row.mime_type },
      enumerable: true, // an own property, even for an attachment named `__proto__`
    })
    urls.set(row.run_id, runUrls)
  }
  return urls
}

/**
 * Whether a run of a workspace may have an attachment. Few workspaces have attachments, and the others skip the lookup.
 * Always true when the store does not report changes.
 */
async function mayHaveAttachments(
  { analytics, caches }: Pick<Deps, 'analytics' | 'caches'>,
  tenantId: string,
): Promise<boolean> {
  if (analytics.changes === undefined) return true
  await analytics.settled?.(tenantId)
  return caches.hasAttachments.get(tenantId, async () => {
    const rows = await analytics.query(
      sql`select 1 from run_attachments final where tenant_id = ${uuid(tenantId)} limit 1`,
      ANY_ROW,
    )
    return { value: rows.length > 0, tables: ['run_attachments'] }
  })
}

/** An attachment whose bytes are in the blob store. */
export interface StoredAttachment {
  readonly name: string
  readonly mime_type: string
  /** Lower-case hex SHA-256 of its bytes, their key in the blob store. */
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

/**
 * Creates a function that signs paths to attachments of examples, valid for a day.
 *
 * @param share  the public link through which they are read; the paths expire with it
 */
export async function createAttachmentSigner(
  deps: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
  share?: Share,
): Promise<(attachment: StoredAttachment, exampleId: string) => string> {
  const secret = await getSigningSecret(deps)
  const now = deps.clock()
  return ({ hash, mime_type, name }, id) => {
    const owner: AttachmentOwner = { kind: 'example', tenantId, id }
    return signAttachmentPath({ key: hash, mimeType: mime_type, name, owner, share }, secret, now)
  }
}

/**
 * Protects the blobs of attachments that are about to be copied, which may be scheduled for removal with their record.
 *
 * @returns the first attachment whose blob is already removed
 */
export async function touchBlobs(
  { blobs }: Pick<Deps, 'blobs'>,
  attachments: readonly StoredAttachment[],
): Promise<StoredAttachment | undefined> {
  for (const attachment of attachments) if (!(await blobs.touch(attachment.hash))) return attachment
  return undefined
}

/** Attachments by run id, ordered by name. Runs without attachments are absent. */
export async function selectRunAttachments(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runIds: readonly string[],
): Promise<Map<string, StoredAttachment[]>> {
  const found = new Map<string, StoredAttachment[]>()
  if (runIds.length === 0) return found
  const rows = await analytics.query(
    sql`
      select run_id, name, mime_type, blob, bytes
      from run_attachments final
      where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(runIds)}
      order by name`,
    columns({ ...RUN_ATTACHMENT, bytes: count }),
  )
  for (const { run_id, name, mime_type, blob, bytes } of rows) {
    appendTo(found, run_id, { name, mime_type, hash: blob, size: bytes })
  }
  return found
}
