import { cloneElement, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Kbd } from './shortcuts.tsx'

export interface TooltipProps {
  label: string
  /** Shortcut shown beside the label. */
  keys?: string | undefined
  /** @default 'bottom' */
  side?: 'top' | 'right' | 'bottom' | undefined
  /** One element that passes `data-` attributes on to the DOM. */
  children: ReactElement
}

/**
 * Shows a label on hover and on keyboard focus. It only adds attributes to the element; one `TooltipLayer` draws all
 * tooltips, so a thousand of them cost nothing.
 */
export function Tooltip({ label, keys, side, children }: TooltipProps) {
  return cloneElement(children as ReactElement<Record<string, unknown>>, {
    'data-tip': label,
    'data-tip-keys': keys,
    'data-tip-side': side,
  })
}

const OPEN_MS = 400
const GAP = 6

/** Draws the tooltip of the hovered or focused element. Mounted once. */
export function TooltipLayer() {
  const [target, setTarget] = useState<HTMLElement>()
  useTipTarget(setTarget)
  return target?.isConnected ? createPortal(<Bubble target={target} />, document.body) : null
}

function Bubble({ target }: { target: HTMLElement }) {
  const bubble = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (bubble.current) placeBubble(bubble.current, target)
  })
  const { tip, tipKeys } = target.dataset
  return (
    <div
      ref={bubble}
      role="tooltip"
      className="pointer-events-none fixed left-0 top-0 z-70 flex max-w-80 animate-layer items-center gap-2 rounded-control border border-border bg-surface px-2 py-1 text-meta text-fg shadow-layer"
    >
      {tip}
      {tipKeys !== undefined && <Kbd keys={tipKeys} />}
    </div>
  )
}

/** Finds the hovered or focused element: after a delay on hover, at once on keyboard focus, never after a press. */
function useTipTarget(setTarget: (target: HTMLElement | undefined) => void) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (element: HTMLElement | undefined, delayMs: number) => {
      clearTimeout(timer)
      if (element === undefined) setTarget(undefined)
      else timer = setTimeout(() => setTarget(element), delayMs)
    }
    const over = (event: PointerEvent) => event.pointerType !== 'touch' && show(findTipTarget(event.target), OPEN_MS)
    const focus = (event: FocusEvent) => {
      const element = findTipTarget(event.target)
      if (element?.matches(':focus-visible')) show(element, 0)
    }
    const hide = () => show(undefined, 0)
    const leave = (event: KeyboardEvent) => event.key === 'Escape' && hide()
    document.addEventListener('pointerover', over)
    document.addEventListener('focusin', focus)
    document.addEventListener('focusout', hide)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('keydown', leave)
    document.addEventListener('scroll', hide, true)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('pointerover', over)
      document.removeEventListener('focusin', focus)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('keydown', leave)
      document.removeEventListener('scroll', hide, true)
    }
  }, [setTarget])
}

function findTipTarget(target: EventTarget | null): HTMLElement | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null
  // The layer of an open menu is where the tooltip would be.
  return element === null || element.dataset.state === 'open' ? undefined : element
}

/** Places the tooltip on the requested side, or on the opposite side near the edge of the window. */
function placeBubble(bubble: HTMLElement, target: HTMLElement) {
  const box = target.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = bubble
  const side = target.dataset.tipSide ?? 'bottom'
  const isBelow = side === 'bottom' ? box.bottom + GAP + height < innerHeight : box.top - GAP - height < 0
  const x = side === 'right' ? box.right + GAP : box.left + box.width / 2 - width / 2
  const y =
    side === 'right' ? box.top + box.height / 2 - height / 2 : isBelow ? box.bottom + GAP : box.top - GAP - height
  const left = Math.min(Math.max(x, 8), innerWidth - width - 8)
  bubble.style.translate = `${Math.round(left)}px ${Math.round(y)}px`
}
