import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'

export interface ColumnEdgeProps {
  /** Of the column. */
  name: ReactNode
  /** Its least width in px now. */
  value: number
  /** One edge of a grid is reached by Tab; the others from there. */
  isTabStop: boolean
  /** @param isDone  false while the edge is still being dragged */
  onResize: (width: number | undefined, isDone: boolean) => void
}

const STEP = 16
const LEAST = 48
const MOST = 1200

/**
 * The right edge of a header: drag it, or move it with left and right; up and down go to the next edge, Delete gives the
 * first width back.
 */
export function ColumnEdge({ name, value, isTabStop, onResize }: ColumnEdgeProps) {
  const grip = useRef<{ x: number; width: number }>(undefined)
  const widthOf = (edge: Element) => edge.parentElement!.getBoundingClientRect().width
  const within = (width: number) => Math.round(Math.min(Math.max(width, LEAST), MOST))

  function down(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    grip.current = { x: event.clientX, width: widthOf(event.currentTarget) }
  }
  function drag(event: PointerEvent, isDone: boolean) {
    if (grip.current === undefined) return
    const by = event.clientX - grip.current.x
    if (by !== 0) onResize(within(grip.current.width + by), isDone)
    if (isDone) grip.current = undefined
  }
  function press(event: KeyboardEvent<HTMLElement>) {
    const edge = event.currentTarget
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    const go = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step !== undefined) onResize(within(widthOf(edge) + step), true)
    else if (event.key === 'Delete' || event.key === 'Backspace') onResize(undefined, true)
    else if (go !== undefined) {
      const edges = [...edge.closest('[role=row]')!.querySelectorAll<HTMLElement>('[role=separator]')]
      edges[edges.indexOf(edge) + go]?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${typeof name === 'string' ? name : 'the column'}`}
      aria-valuenow={value}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuetext={`${value} px`}
      title="Drag to set the width; a double click gives the first one back"
      tabIndex={isTabStop ? 0 : -1}
      onPointerDown={down}
      onPointerMove={(event) => drag(event, false)}
      onPointerUp={(event) => drag(event, true)}
      onPointerCancel={(event) => drag(event, true)}
      onDoubleClick={() => onResize(undefined, true)}
      onKeyDown={press}
      className="absolute inset-y-0 right-0 w-2 cursor-col-resize touch-none border-r border-transparent hover:border-border-strong focus-visible:border-accent"
    />
  )
}
