import type { QueueSearch } from '#lib/annotation-queues/search.ts'
import { PageFrame } from '#shell/page-frame.tsx'

/** The items of an annotation queue. */
export function QueuePage(_: { tenant: string; queueId: string; search: QueueSearch }) {
  return <PageFrame title="Annotation queue">{null}</PageFrame>
}
