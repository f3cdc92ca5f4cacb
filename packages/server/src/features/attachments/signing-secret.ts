import type { Deps } from '../../deps.ts'
import { serverSecret } from '../../storage/relational/server-secret.ts'

/** What signed URLs are signed with. */
export function signingSecret({ relational }: Pick<Deps, 'relational'>): Promise<Buffer> {
  return serverSecret(relational, 'signed urls')
}
