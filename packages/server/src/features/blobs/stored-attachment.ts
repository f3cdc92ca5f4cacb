import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { signGrant } from './signed-token.ts'
import { signingSecret } from './signing-secret.ts'

/** An attachment whose bytes are in the blob store. */
export interface StoredAttachment {
  readonly name: string
  readonly mime_type: string
  /** Lower-case hex SHA-256 of its bytes, their key in the blob store. */
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

/** Long enough for a client that lists now and downloads later. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

/** Makes the paths below the server's origin that let their holder read an attachment for a day. */
export async function attachmentSigner(
  deps: Pick<Deps, 'relational' | 'clock'>,
): Promise<(attachment: StoredAttachment) => string> {
  const secret = await signingSecret(deps)
  const expiresAt = deps.clock() + LIFETIME_MS
  return ({ hash, mime_type, name }) => {
    return `/api/v1/blobs/${signGrant({ key: hash, mimeType: mime_type, name, expiresAt }, secret)}`
  }
}

/** Attachments of runs, by run id, in the order of their names. Runs without are absent. */
export async function attachmentsOfRuns(
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
