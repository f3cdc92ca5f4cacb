import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'

export interface ColumnEdgeProps {
  /** Name of the column. */
  name: ReactNode
  /** Current minimum width in px. */
  value: number
  /** Tab stops at one edge of a grid; up and down move between the edges. */
  isTabStop: boolean
  /** @param isDone  false while the edge is still being dragged */
  onResize: (width: number | undefined, isDone: boolean) => void
}

const STEP = 16
const MIN_WIDTH = 48
const MAX_WIDTH = 1200

/**
 * The right edge of a header cell. Drag it, or press left and right, to set the width; up and down move to the next
 * edge; Delete restores the initial width.
 */
export function ColumnEdge({ name, value, isTabStop, onResize }: ColumnEdgeProps) {
  const grip = useRef<{ x: number; width: number }>(undefined)

  function down(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    grip.current = { x: event.clientX, width: measureColumn(event.currentTarget) }
  }
  function drag(event: PointerEvent, isDone: boolean) {
    if (grip.current === undefined) return
    const by = event.clientX - grip.current.x
    if (by !== 0) onResize(clampWidth(grip.current.width + by), isDone)
    if (isDone) grip.current = undefined
  }
  function press(event: KeyboardEvent<HTMLElement>) {
    const edge = event.currentTarget
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step !== undefined) onResize(clampWidth(measureColumn(edge) + step), true)
    else if (event.key === 'Delete' || event.key === 'Backspace') onResize(undefined, true)
    else if (move !== undefined) focusEdge(edge, move)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${typeof name === 'string' ? name : 'the column'}`}
      aria-valuenow={value}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuetext={`${value} px`}
      title="Drag to resize; double-click to reset"
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

function measureColumn(edge: Element): number {
  return edge.parentElement?.getBoundingClientRect().width ?? MIN_WIDTH
}

function clampWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH))
}

function focusEdge(edge: HTMLElement, by: number) {
  const edges = [...(edge.closest('[role=row]')?.querySelectorAll<HTMLElement>('[role=separator]') ?? [])]
  edges[edges.indexOf(edge) + by]?.focus()
}
