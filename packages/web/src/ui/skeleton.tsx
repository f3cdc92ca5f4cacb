import { cx } from '#lib/browser/cx.ts'
import { useDelayedFlag } from './use-delayed-flag.tsx'

/** A gray bar in place of text that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx('block h-3 animate-pulse rounded-control bg-sunken', className)} />
}

/** Placeholder rows of a list. They appear after 150 ms, so that a fast response does not flicker. */
export function SkeletonRows({ rows = 12, height = 28, label = 'Loading' }) {
  const isVisible = useDelayedFlag(true, 150)
  return (
    <div role="status" aria-label={label} className="overflow-hidden">
      {isVisible &&
        Array.from({ length: rows }, (_, row) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
            key={row}
            style={{ height }}
            className="flex items-center gap-4 border-b border-border px-3"
          >
            <Skeleton className="w-1/5" />
            <Skeleton className="w-2/5" />
            <Skeleton className="w-1/6" />
          </div>
        ))}
    </div>
  )
}
