import type { ReviewSearch } from '#lib/annotation-queues/search.ts'
import { PageFrame } from '#shell/page-frame.tsx'

/** The review of a queue, one item at a time. */
export function ReviewPage(_: { tenant: string; queueId: string; search: ReviewSearch }) {
  return <PageFrame title="Review">{null}</PageFrame>
}
