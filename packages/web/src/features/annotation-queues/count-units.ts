import type { AnnotationQueue, AnnotationQueueProgress } from '@touchstone/sdk'

/**
 * Progress in what reviewers see at a time: the two runs of a pair count once. In its own file, because Home loads it.
 */
export function countUnits(
  { queue_type }: Pick<AnnotationQueue, 'queue_type'>,
  progress: AnnotationQueueProgress,
): AnnotationQueueProgress {
  if (queue_type !== 'pairwise') return progress
  const half = (count: number) => Math.ceil(count / 2)
  return {
    ...progress,
    needs_my_review: half(progress.needs_my_review),
    needs_others_review: half(progress.needs_others_review),
    completed: Math.floor(progress.completed / 2),
    completed_by_me: Math.floor(progress.completed_by_me / 2),
    reserved: half(progress.reserved),
  }
}
