import { memo } from 'react'
import { cx } from '#lib/browser.ts'
import { floatAt, intAt } from '#lib/columns.ts'
import { formatLatency } from '#lib/format.ts'
import { colorAt } from '../model/run-colors.ts'
import { type TimeWindow, toFraction, toSqueezed } from '../model/time-scale.ts'
import { listGapsBetweenChildren } from '../model/times.ts'
import { ERROR, isLost, shownEndAt, type Trace } from '../model/trace.ts'
import type { LaneView } from './visualization.ts'

/** A run in time: tinted bar with a solid edge, darker for its own time, with a tick at the first token. */
export const LaneBar = memo(function LaneBar({ trace, row, lane }: { trace: Trace; row: number; lane: LaneView }) {
  const { drawn } = lane
  const [start, end] = [floatAt(drawn.start, row), shownEndAt(drawn, row)]
  const place = placeIn(lane, start, end)
  if (!place) return null
  const look = colorAt(lane.colors, row)
  const isError = trace.status[row] === ERROR
  const isRunning = Number.isNaN(floatAt(trace.end, row))
  const edge = isError ? 'var(--err)' : look.solid
  const firstToken = floatAt(drawn.firstToken, row)
  return (
    <>
      <span
        className="absolute top-1/2 h-3 -translate-y-1/2 rounded-[2px] forced-color-adjust-none"
        style={{
          ...place,
          background: isError ? 'var(--del-bg)' : look.tint,
          boxShadow: `inset 2px 0 ${edge}, inset 0 0 0 1px color-mix(in srgb, ${edge} 35%, transparent)`,
          ...(isRunning ? { maskImage: 'linear-gradient(90deg, #000 70%, rgb(0 0 0 / 0.35))' } : {}),
        }}
      />
      {place.width > 6 &&
        selfStretches(drawn, row, lane, start, end).map(([from, to]) => (
          <span
            key={from}
            className="absolute top-1/2 h-3 -translate-y-1/2 forced-color-adjust-none"
            style={{ ...placeIn(lane, from, to, 0), background: edge, opacity: 0.32 }}
          />
        ))}
      {!Number.isNaN(firstToken) && isWithin(lane.timeWindow, firstToken) && (
        <span
          className="absolute top-1/2 h-[18px] w-px -translate-y-1/2 forced-color-adjust-none"
          style={{ left: toFraction(lane.timeWindow, firstToken) * lane.width, background: 'var(--fg)' }}
        />
      )}
      {lane.critical?.has(row) && (
        <span
          className="absolute top-1/2 h-[3px] translate-y-[5px] forced-color-adjust-none"
          style={{ ...place, background: edge }}
        />
      )}
      {lane.labels && (
        <Duration
          place={place}
          lane={lane}
          micros={shownEndAt(trace, row) - floatAt(trace.start, row)}
          note={isLost(trace, row) ? 'no end event' : isRunning ? '…' : ''}
        />
      )}
    </>
  )
})

/** Many runs folded into one row: from the first start to the last end. */
export function FoldBar({ trace, fold, lane }: { trace: Trace; fold: number; lane: LaneView }) {
  const first = intAt(trace.folds.first, fold)
  const until = Math.max(floatAt(trace.folds.lastEnd, fold), floatAt(trace.start, first))
  const place = placeIn(lane, floatAt(lane.drawn.start, first), lane.squeeze ? toSqueezed(lane.squeeze, until) : until)
  if (!place) return null
  const { solid, tint } = colorAt(lane.colors, first)
  return (
    <span
      className="absolute top-1/2 h-3 -translate-y-1/2 rounded-[2px] forced-color-adjust-none"
      style={{
        ...place,
        background: `repeating-linear-gradient(90deg, ${tint} 0 6px, color-mix(in srgb, ${solid} 45%, ${tint}) 6px 8px)`,
        boxShadow: `inset 2px 0 ${solid}`,
      }}
    />
  )
}

interface DurationProps {
  place: Place
  lane: LaneView
  micros: number
  /** Text after the duration. */
  note: string
}

/** The duration of the run: after its bar, else before it, else inside. */
function Duration({ place, lane, micros, note }: DurationProps) {
  const right = place.left + place.width
  const text = note === 'no end event' ? note : `${formatLatency(micros / 1000)} ${note}`.trim()
  const look = 'absolute top-1/2 -translate-y-1/2 whitespace-nowrap text-meta tabular-nums'
  if (lane.width - right > LABEL) {
    return (
      <span className={`${look} text-fg-muted`} style={{ left: right + 5 }}>
        {text}
      </span>
    )
  }
  const isInside = place.left <= LABEL
  return (
    <span
      className={cx(look, '-translate-x-full', isInside ? 'rounded-[2px] bg-surface/80 px-1 text-fg' : 'text-fg-muted')}
      style={{ left: isInside ? right - 3 : place.left - 5 }}
    >
      {text}
    </span>
  )
}

interface Place {
  left: number
  width: number
}

/** Pixels that a duration needs. */
const LABEL = 58

/** Left and width in pixels of a time range, cut to the lane. Undefined outside the lane. */
function placeIn({ timeWindow, width }: LaneView, start: number, end: number, minimum = 3): Place | undefined {
  if (end < timeWindow.from || start > timeWindow.to) return undefined
  const left = Math.max(toFraction(timeWindow, start), 0) * width
  const right = Math.min(toFraction(timeWindow, end), 1) * width
  return { left: Math.min(left, width - minimum), width: Math.max(right - left, minimum) }
}

function selfStretches(trace: Trace, row: number, lane: LaneView, start: number, end: number): [number, number][] {
  const pixel = (lane.timeWindow.to - lane.timeWindow.from) / Math.max(lane.width, 1)
  const stretches: [number, number][] = []
  for (const stretch of listGapsBetweenChildren(
    trace,
    row,
    Math.max(start, lane.timeWindow.from),
    Math.min(end, lane.timeWindow.to),
    pixel,
  )) {
    stretches.push(stretch)
    if (stretches.length === 40) break // further parts are too small to see
  }
  return stretches
}

function isWithin(timeWindow: TimeWindow, at: number): boolean {
  return at >= timeWindow.from && at <= timeWindow.to
}
