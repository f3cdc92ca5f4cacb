import { ChevronRight, CircleX } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { Tooltip } from '#ui/tooltip.tsx'
import { type Failures, findNextCause, shortenErrorType } from '../model/failures.ts'
import { nameAt, type Trace } from '../model/trace.ts'

interface FailureStripProps {
  trace: Trace
  failures: Failures
  selected: number | undefined
  onSelect: (row: number) => void
}

/** Names the run in which an error began and leads to it, and to the others if there are several. */
export function FailureStrip({ trace, failures, selected, onSelect }: FailureStripProps) {
  const { causes, causeOf, hasRootFailed } = failures
  const at = selected === undefined ? -1 : causes.indexOf(selected)
  const isOpen = at !== -1
  const cause = causes[Math.max(at, 0)] ?? 0
  const isCauseOfRoot = causeOf.get(0) === cause
  // The key goes to the cause nearest to the selected run, which may be another one than the strip names.
  const isNextByKey = findNextCause(failures, selected ?? -1, 1) === cause
  return (
    <section
      aria-label={hasRootFailed ? 'Why it failed' : 'Failed runs'}
      className={cx(
        'flex min-h-8 shrink-0 items-center gap-2 border-b border-border px-3 text-row',
        isCauseOfRoot && 'bg-del-bg',
      )}
    >
      <CircleX size={14} aria-hidden className="shrink-0 text-err" />
      {!hasRootFailed && <span className="shrink-0 text-fg-muted">{pluralize(failures.count, 'run')} failed</span>}
      <Tooltip label={isOpen ? 'This run is open' : 'Go to the run'} keys={!isOpen && isNextByKey ? 'e' : undefined}>
        <button
          type="button"
          aria-current={isOpen}
          onClick={() => onSelect(cause)}
          className="flex min-w-0 flex-1 flex-col py-1.5 text-left hover:underline sm:flex-row sm:items-baseline sm:gap-1"
        >
          <span className="max-w-full shrink-0 truncate font-medium sm:max-w-[50%]">
            {hasRootFailed && (isCauseOfRoot ? 'Failed in ' : 'Also failed: ')}
            <bdi>{nameAt(trace, cause)}</bdi>:
          </span>
          <span dir="auto" className="min-w-0 max-w-full truncate font-mono">
            {shortenErrorType(trace.errors.get(cause) ?? '') || 'no message'}
          </span>
        </button>
      </Tooltip>
      {causes.length > 1 && (
        <Tooltip label="Next error" keys={isOpen ? 'e' : undefined}>
          <button
            type="button"
            onClick={() => onSelect(findNextCause(failures, cause, 1) ?? cause)}
            className="flex h-6 shrink-0 items-center rounded-control px-1.5 tabular-nums text-fg-muted hover:bg-hover hover:text-fg coarse:h-10"
          >
            {isOpen
              ? `${formatCount(at + 1)} of ${formatCount(causes.length)}`
              : `and ${formatCount(causes.length - 1)} more`}
            <ChevronRight size={13} aria-hidden />
            {isOpen && <span className="sr-only">, next</span>}
          </button>
        </Tooltip>
      )}
    </section>
  )
}
