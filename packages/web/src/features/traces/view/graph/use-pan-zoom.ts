import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Position of the drawing in its frame: px of its corner, and its scale. */
export interface Placement {
  x: number
  y: number
  scale: number
}

const MIN_SCALE = 0.05
const MAX_SCALE = 2.5

/** Moves and zooms a drawing: drag or wheel moves, Ctrl and wheel zoom around the pointer. */
export function usePanZoom(frame: RefObject<HTMLElement | null>) {
  const [placement, setPlacement] = useState<Placement>({ x: 0, y: 0, scale: 1 })
  const drag = useRef<{ x: number; y: number; from: Placement; hasMoved: boolean }>(undefined)

  const zoomBy = useCallback(
    (factor: number, at?: { x: number; y: number }) =>
      setPlacement((from) => {
        const box = frame.current?.getBoundingClientRect()
        const pivot = at ?? { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 }
        const scale = Math.min(Math.max(from.scale * factor, MIN_SCALE), MAX_SCALE)
        const grown = scale / from.scale
        return { scale, x: pivot.x - (pivot.x - from.x) * grown, y: pivot.y - (pivot.y - from.y) * grown }
      }),
    [frame],
  )

  useEffect(() => {
    const at = frame.current
    const listen = (event: WheelEvent) => {
      event.preventDefault()
      if (event.ctrlKey || event.metaKey) {
        const { left = 0, top = 0 } = at?.getBoundingClientRect() ?? {}
        zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, { x: event.clientX - left, y: event.clientY - top })
      } else {
        setPlacement((from) => ({ ...from, x: from.x - event.deltaX, y: from.y - event.deltaY }))
      }
    }
    at?.addEventListener('wheel', listen, { passive: false })
    return () => at?.removeEventListener('wheel', listen)
  }, [frame, zoomBy])

  return {
    placement,
    setPlacement,
    zoomBy,
    /** Whether the last press moved the drawing, so that it was not a click. */
    hasMoved: () => drag.current?.hasMoved === true,
    handlers: {
      onPointerDown(event: PointerEvent) {
        if (event.button === 0) drag.current = { x: event.clientX, y: event.clientY, from: placement, hasMoved: false }
      },
      onPointerMove(event: PointerEvent) {
        const from = drag.current
        if (!from || event.buttons === 0) return
        const [x, y] = [event.clientX - from.x, event.clientY - from.y]
        if (!from.hasMoved && Math.hypot(x, y) < 4) return
        from.hasMoved = true
        setPlacement({ ...from.from, x: from.from.x + x, y: from.from.y + y })
      },
    },
  }
}
