import type { IngestReceipt } from '@touchstone/contract'
import type { Caller } from '../../http/serve.ts'

/** Writes runs and feedback through the ingest path. */
export type RecordRuns = (
  caller: Caller,
  given: {
    readonly runs: readonly { readonly kind: 'post' | 'patch'; readonly main: string }[]
    readonly feedback: readonly { readonly name: string; readonly text: string }[]
  },
) => Promise<Pick<IngestReceipt, 'errors'>>

/** Jobs write as the server itself; the job names the person who started it. */
export function toCaller(tenantId: string): Caller {
  return { kind: 'local', tenantId, role: 'member', isServerAdmin: false, actorId: undefined, actorName: undefined }
}
