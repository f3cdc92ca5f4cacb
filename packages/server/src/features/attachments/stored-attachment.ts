import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { type AttachmentOwner, type Share, signAttachmentPath } from './attachment-grant.ts'
import { getSigningSecret } from './signed-token.ts'

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
  const rows = await analytics.query<{
    run_id: string
    name: string
    mime_type: string
    blob: string
    bytes: string
  }>(sql`
    select run_id, name, mime_type, blob, bytes
    from run_attachments final
    where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(runIds)}
    order by name`)
  for (const { run_id, name, mime_type, blob, bytes } of rows) {
    const stored = { name, mime_type, hash: blob, size: Number(bytes) }
    found.set(run_id, [...(found.get(run_id) ?? []), stored])
  }
  return found
}
