import { useEffect, useState } from 'react'
import { cx } from '#lib/browser/cx.ts'

/** A grey bar where text will be. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx('block h-3 animate-pulse rounded-control bg-sunken', className)} />
}

/** Rows shaped like the list to come. Nothing is drawn before 150 ms, so a fast answer never flickers. */
export function SkeletonRows({ rows = 12, height = 28, label = 'Loading' }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label={label} className="overflow-hidden">
      {late &&
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
