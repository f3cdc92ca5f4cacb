import type { QueuesSearch } from '#lib/annotation-queues/search.ts'
import { PageFrame } from '#shell/page-frame.tsx'

/** The annotation queues of the workspace. */
export function QueuesPage(_: { tenant: string; search: QueuesSearch }) {
  return <PageFrame title="Annotation queues">{null}</PageFrame>
}
