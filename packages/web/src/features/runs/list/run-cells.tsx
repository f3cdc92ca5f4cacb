import type { FeedbackStat, Run } from '@touchstone/sdk'
import { FastForward, History } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { describeFailure } from '#lib/errors.ts'
import { formatAbsoluteTime, formatCompactTime, formatLatency, formatScore, pluralize, zoneLabel } from '#lib/format.ts'
import type { Density } from '#lib/preferences.ts'
import { drawnRunType } from '#lib/run-types.ts'
import { stripTerminalCodes } from '#lib/terminal-text.ts'
import { CLOCK_BACKWARDS, isClockBackwards, msBetween } from '#lib/time/time-range.ts'
import { useNow } from '#ui/hooks.tsx'
import { NO_END_MS, RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { Preview } from '#ui/states.tsx'
import { TerminalText } from '#ui/terminal-text.tsx'
import type { ReadRunValue } from './use-run-values.tsx'

/**
 * A run in two lines, for phones.
 *
 * @param isSelected  undefined while rows are not being selected
 */
export function RunCard({ run, isSelected }: { run: Run; isSelected?: boolean | undefined }) {
  return (
    <div className="flex items-center gap-3">
      {isSelected !== undefined && (
        // A press anywhere on the row toggles it.
        <input
          type="checkbox"
          readOnly
          tabIndex={-1}
          checked={isSelected}
          aria-label={`Select ${run.name}`}
          className="pointer-events-none size-5 shrink-0"
        />
      )}
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex items-center gap-2">
          <div className="min-w-0 flex-1 text-base">
            <NameCell run={run} />
          </div>
          <span className="shrink-0 text-fg-muted">{formatCompactTime(run.start_time)}</span>
        </div>
        <div className="flex items-center gap-3 text-fg-muted">
          <span dir="auto" className={cx('min-w-0 flex-1 truncate', run.error_preview && 'text-err')}>
            <Preview
              derived={run.error_preview ? undefined : run.derived_payloads}
              side={run.outputs_preview ? 'outputs' : 'inputs'}
            >
              {stripTerminalCodes(run.error_preview ?? run.outputs_preview ?? run.inputs_preview ?? '')}
            </Preview>
          </span>
          <span className="num shrink-0">
            <LatencyText run={run} />
          </span>
        </div>
      </div>
    </div>
  )
}

export function NameCell({ run }: { run: Run }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <RunTypeIcon type={drawnRunType(run)} />
      <span dir="auto" className="truncate font-medium">
        {run.name}
      </span>
      <StatusMark {...run} />
    </span>
  )
}

/** Clocks of two machines differ by a few seconds without a fault. */
const isFuture = (time: string, nowMs: number) => Date.parse(time) > nowMs + 60_000

/** A time as short as today's date allows; in full in the tooltip. */
export function TimeCell({ time, nowMs }: { time: string; nowMs: number }) {
  return (
    <span
      title={`${formatAbsoluteTime(time)} (${zoneLabel()}) · ${time}${isFuture(time, nowMs) ? ' · in the future' : ''}`}
      className="tabular-nums"
    >
      {isFuture(time, nowMs) && <FastForward size={11} aria-label="In the future:" className="mr-1 inline text-warn" />}
      {formatCompactTime(time, nowMs)}
    </span>
  )
}

/** A latency over a bar, which is a background: rows are mounted while the list scrolls, and each element costs time. */
export function LatencyCell({ run, fullBarMs }: { run: Run; fullBarMs: number }) {
  const ms = msBetween(run.start_time, run.end_time)
  if (ms === undefined || isClockBackwards(run)) return <LatencyText run={run} />
  const share = fullBarMs > 0 ? Math.min(ms / fullBarMs, 1) : 0
  return (
    <span
      title={`${ms} ms`}
      className="latency-bar -mr-1 block rounded-control pr-1"
      style={{ backgroundSize: share > 0 ? `calc(${share * 100}% + 4px) 100%` : '0' }}
    >
      {formatLatency(ms)}
    </span>
  )
}

function LatencyText({ run }: { run: Run }) {
  const ms = msBetween(run.start_time, run.end_time)
  if (isClockBackwards(run)) {
    return (
      <span title={CLOCK_BACKWARDS} className="inline-flex items-center gap-1 text-warn">
        <History size={12} aria-hidden />
        {formatLatency(ms)}
        <span className="sr-only">, the clock went backwards</span>
      </span>
    )
  }
  if (ms !== undefined) return <span title={`${ms} ms`}>{formatLatency(ms)}</span>
  return run.status === 'pending' ? <RunningFor since={run.start_time} /> : <span>-</span>
}

function RunningFor({ since }: { since: string }) {
  const ms = Math.max(useNow(1000) - Date.parse(since), 0)
  return ms > NO_END_MS ? (
    <span className="text-warn">no end</span>
  ) : (
    <span className="text-run">{formatLatency(ms)}…</span>
  )
}

export function FeedbackCell({ run }: { run: Run }) {
  const stats = Object.entries(run.feedback_stats ?? {})
  if (stats.length === 0) return '-'
  const scores = stats.map(([name, { avg, n }]) => ({ name, mark: avg === null ? `×${n}` : formatScore(avg) }))
  const [first, second, ...others] = scores
  return (
    <span title={scores.map(({ name, mark }) => `${name} ${mark}`).join('\n')} className="@container block">
      <span className="flex min-w-0 gap-2">
        {first && <Score {...first} />}
        {second && <Score {...second} className="@max-[150px]:hidden" />}
        {second && <More count={scores.length - 1} className="@min-[150px]:hidden" />}
        {others.length > 0 && <More count={others.length} className="@max-[150px]:hidden" />}
      </span>
    </span>
  )
}

/** A narrow column truncates the key, never the score. */
function Score({ name, mark, className }: { name: string; mark: string; className?: string }) {
  return (
    <span className={cx('flex min-w-0 gap-1', className)}>
      <span className="truncate text-fg-muted">{name}</span>
      <span className="shrink-0 tabular-nums">{mark}</span>
    </span>
  )
}

/** How many scores the row does not show. */
function More({ count, className }: { count: number; className: string }) {
  return <span className={cx('shrink-0 text-fg-muted', className)}>+{count}</span>
}

/** One line of text, or up to five in the preview density. Its column has the direction of its texts. */
export function TextCell({ text, density }: { text: string | null | undefined; density: Density }) {
  if (!text) return <span className="text-fg-subtle">-</span>
  if (density !== 'preview') return stripTerminalCodes(text).replaceAll('\n', ' ⏎ ')
  return (
    <span dir="auto" className="line-clamp-5 whitespace-pre-wrap break-words">
      <TerminalText text={text} />
    </span>
  )
}

/** The preview of a side of a run. */
export function PayloadCell({ run, side, density }: { run: Run; side: 'inputs' | 'outputs'; density: Density }) {
  return (
    <Preview derived={run.derived_payloads} side={side}>
      <TextCell text={run[`${side}_preview`]} density={density} />
    </Preview>
  )
}

/** A value from a payload, in one line. A truncated value is marked. */
export function ValueCell({ value }: { value: ReturnType<ReadRunValue> }) {
  if (value === undefined) return <span className="text-fg-subtle">…</span>
  if (value instanceof Error) {
    return (
      <span title={describeFailure(value).message} className="font-medium text-err">
        !
      </span>
    )
  }
  if (value === null) return <span className="text-fg-subtle">-</span>
  return (
    <span title={value.text.slice(0, 300)}>
      {value.text.replaceAll('\n', ' ⏎ ')}
      {value.is_cut && <span className="text-fg-subtle"> (truncated)</span>}
    </span>
  )
}

/** The mean of one feedback key, or the number of labels. */
export function ScoreCell({ stat }: { stat: FeedbackStat | undefined }) {
  if (stat === undefined) return <span className="text-fg-subtle">-</span>
  return <span title={pluralize(stat.n, 'score')}>{stat.avg === null ? `×${stat.n}` : formatScore(stat.avg)}</span>
}
