import { type MouseEvent, type PointerEvent, useRef } from 'react'

const LONG_MS = 500
/** A finger that moves this far scrolls. */
const STILL_PX = 10

/**
 * For the element around rows: tells which one a finger rested on. The click that follows is swallowed, and so is the
 * menu that a phone would open.
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
      if (event.pointerType === 'mouse' || row === null) return
      const timer = setTimeout(() => {
        hasFired.current = true
        onLongPress(row.dataset.row!)
      }, LONG_MS)
      press.current = { timer, x: event.clientX, y: event.clientY }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      if (press.current && Math.hypot(clientX - press.current.x, clientY - press.current.y) > STILL_PX) end()
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
