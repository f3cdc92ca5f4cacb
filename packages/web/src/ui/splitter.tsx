import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { cx } from '#lib/browser.ts'

export interface SplitterProps {
  /** Names what it resizes, e.g. "Resize details". */
  label: string
  /** Share of the container given to the pane, in percent. */
  value: number
  min: number
  max: number
  onChange: (percent: number) => void
  /** Which side of the splitter the measured pane is on. @default 'after' */
  pane?: 'before' | 'after'
  /** `vertical` is a vertical line between columns. @default 'vertical' */
  orientation?: 'vertical' | 'horizontal'
  className?: string
}

/** The line between two panes; dragged, or moved by arrows (2 %), Home and End. Measures against its parent. */
export function Splitter(props: SplitterProps) {
  const { label, value, min, max, onChange, pane = 'after', orientation = 'vertical', className } = props
  const line = useRef<HTMLDivElement>(null)
  const vertical = orientation === 'vertical'
  const set = (percent: number) => onChange(Math.min(Math.max(percent, min), max))

  function drag(event: PointerEvent) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const box = line.current?.parentElement?.getBoundingClientRect()
    if (!box) return
    const before = vertical ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height
    set(100 * (pane === 'before' ? before : 1 - before))
  }

  function press(event: KeyboardEvent) {
    const grow = pane === 'before' ? 1 : -1
    const step: Record<string, number> = vertical
      ? { ArrowRight: 2 * grow, ArrowLeft: -2 * grow }
      : { ArrowDown: 2 * grow, ArrowUp: -2 * grow }
    const to = event.key === 'Home' ? min : event.key === 'End' ? max : value + (step[event.key] ?? Number.NaN)
    if (Number.isNaN(to)) return
    event.preventDefault()
    event.stopPropagation()
    set(to)
  }

  return (
    <div
      ref={line}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value)}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={press}
      className={cx(
        'relative z-10 shrink-0 touch-none bg-border hover:bg-accent focus-visible:bg-accent',
        'before:absolute before:content-[""]',
        vertical
          ? 'w-px cursor-col-resize before:-inset-x-1 before:inset-y-0'
          : 'h-px cursor-row-resize before:inset-x-0 before:-inset-y-1',
        className,
      )}
    />
  )
}
