import type { Deps } from '../../deps.ts'
import type { RawJson } from '../../http/raw-json.ts'
import { sql, uuid } from '../../storage/analytics/sql.ts'
import { readTree } from '../runs/trace/index.ts'
import { isOpened, type OpenShare } from './open-share.ts'

/** All runs that a share opens, without payloads, the shared one on top. */
export function readSharedSpine(deps: Pick<Deps, 'analytics'>, share: OpenShare): Promise<RawJson> {
  const { tenantId, root } = share
  return readTree(deps, {
    traceId: root.trace_id,
    where: sql`tenant_id = ${uuid(tenantId)} and ${isOpened(share)}`,
    publicRoot: root.id,
  })
}
