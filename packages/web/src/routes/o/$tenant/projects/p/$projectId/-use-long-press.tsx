import { type MouseEvent, type PointerEvent, useRef } from 'react'

const LONG_MS = 500
/** A finger that moves further scrolls. */
const MAX_MOVE_PX = 10

/**
 * Handlers for the element around rows: reports the row under a long press. The click that follows and the context menu
 * of a phone are suppressed.
 */
export function useLongPress(onLongPress: (rowId: string) => void) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  const hasFired = useRef(false)
  function end() {
    clearTimeout(press.current?.timer)
    press.current = undefined
  }
  return {
    onPointerDown(event: PointerEvent) {
      hasFired.current = false
      const row = (event.target as Element).closest<HTMLElement>('[data-row]')
      const rowId = row?.dataset.row
      if (event.pointerType === 'mouse' || rowId === undefined) return
      const timer = setTimeout(() => {
        hasFired.current = true
        onLongPress(rowId)
      }, LONG_MS)
      press.current = { timer, x: event.clientX, y: event.clientY }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      if (press.current && Math.hypot(clientX - press.current.x, clientY - press.current.y) > MAX_MOVE_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    onClickCapture(event: MouseEvent) {
      if (hasFired.current) event.stopPropagation()
      hasFired.current = false
    },
    onContextMenu(event: MouseEvent) {
      if (press.current !== undefined) event.preventDefault()
    },
  }
}
