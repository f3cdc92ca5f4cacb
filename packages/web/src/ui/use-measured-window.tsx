import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'

const OVERSCAN_PX = 600

export interface MeasuredWindow {
  /** Height of all blocks in px. */
  total: number
  /** The blocks to mount, with their offsets from the top. */
  blocks: readonly { index: number; top: number }[]
  /** First block in view. */
  first: number
  /** Last block in view. */
  last: number
  /** Ref for the element of a block. The block is measured while it is mounted. */
  measure: (element: HTMLElement | null) => (() => void) | undefined
  /**
   * Scrolls a block to the top of the view and keeps it there while blocks above it are measured, until the user
   * scrolls.
   */
  scrollTo: (index: number) => void
}

/**
 * Selects the visible blocks of a list whose heights are known only after they are drawn. The block at the top of the
 * view keeps its position while blocks above it change their height. The element of a block has its index in `data-index`.
 *
 * @param scroller  the element that scrolls
 * @param guess     height in px of a block that has not been drawn
 */
export function useMeasuredWindow(
  scroller: RefObject<HTMLElement | null>,
  { count, guess }: { count: number; guess: number },
): MeasuredWindow {
  const [heights] = useState(() => new HeightMap(guess))
  const [view, setView] = useState({ top: 0, height: 900 })
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  const pinned = useRef<number>(undefined)
  heights.resize(count)

  const look = useCallback(() => {
    const box = scroller.current
    if (!box) return
    const next = { top: box.scrollTop, height: box.clientHeight }
    setView((view) => (view.top === next.top && view.height === next.height ? view : next))
  }, [scroller])

  const [observer] = useState(
    () =>
      new ResizeObserver((entries) => {
        const box = scroller.current
        if (!box) return
        let shift = 0
        let changed = false
        for (const { target, borderBoxSize } of entries) {
          const index = Number((target as HTMLElement).dataset.index)
          const bottom = heights.getTop(index + 1)
          const grown = heights.set(index, Math.round(borderBoxSize[0]!.blockSize))
          if (grown === 0) continue
          changed = true
          if (bottom <= box.scrollTop + shift) shift += grown
        }
        if (!changed) return
        redraw()
        wanted.current = pinned.current === undefined ? box.scrollTop + shift : undefined
      }),
  )
  const wanted = useRef<number>(undefined)
  // Waits until the height has changed, so that the new position exists.
  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const top = pinned.current === undefined ? wanted.current : heights.getTop(pinned.current)
    wanted.current = undefined
    if (top !== undefined && Math.abs(box.scrollTop - top) >= 1) box.scrollTop = top
    look()
  })

  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const letGo = () => {
      pinned.current = undefined
    }
    const size = new ResizeObserver(look)
    size.observe(box)
    box.addEventListener('scroll', look, { passive: true })
    for (const gesture of GESTURES) box.addEventListener(gesture, letGo, { passive: true })
    return () => {
      size.disconnect()
      box.removeEventListener('scroll', look)
      for (const gesture of GESTURES) box.removeEventListener(gesture, letGo)
    }
  }, [scroller, look])
  useEffect(() => () => observer.disconnect(), [observer])

  const measure = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      observer.observe(element)
      return () => observer.unobserve(element)
    },
    [observer],
  )
  const scrollTo = useCallback(
    (index: number) => {
      pinned.current = index
      const box = scroller.current
      if (box) box.scrollTop = heights.getTop(index)
      redraw()
    },
    [scroller, heights],
  )

  const from = heights.at(view.top - OVERSCAN_PX)
  const to = count === 0 ? -1 : heights.at(view.top + view.height + OVERSCAN_PX)
  const blocks = []
  for (let index = from; index <= to; index++) blocks.push({ index, top: heights.getTop(index) })
  return {
    total: heights.total,
    blocks,
    first: heights.at(view.top),
    last: heights.at(view.top + view.height - 1),
    measure,
    scrollTo,
  }
}

/** Events of scrolling by the user; scrolling by script causes none of them. */
const GESTURES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Heights of a list's blocks, estimated until they are measured. A Fenwick tree finds the block at a scroll position in
 * O(log n).
 */
export class HeightMap {
  #heights: number[] = []
  #sums = new Float64Array(1)
  #top = 1

  /** @param guess  height in px of a block that has not been measured */
  constructor(readonly guess: number) {}

  get count(): number {
    return this.#heights.length
  }

  get total(): number {
    return this.getTop(this.count)
  }

  /** Appends blocks with the estimated height, or removes blocks at the end. */
  resize(count: number): void {
    if (count === this.count) return
    this.#heights = Array.from({ length: count }, (_, at) => this.#heights[at] ?? this.guess)
    this.#sums = new Float64Array(count + 1)
    this.#sums.set(this.#heights, 1)
    for (let at = 1; at <= count; at++) {
      const parent = at + (at & -at)
      if (parent <= count) this.#add(parent, this.#sum(at))
    }
    this.#top = 1
    while (this.#top * 2 <= count) this.#top *= 2
  }

  /** @returns the growth of the block in px */
  set(index: number, height: number): number {
    const grown = height - (this.#heights[index] ?? height)
    if (grown === 0) return 0
    this.#heights[index] = height
    for (let at = index + 1; at <= this.count; at += at & -at) this.#add(at, grown)
    return grown
  }

  #sum(at: number): number {
    return this.#sums[at] ?? 0
  }

  #add(at: number, px: number): void {
    this.#sums[at] = this.#sum(at) + px
  }

  getHeight(index: number): number {
    return this.#heights[index] ?? this.guess
  }

  /** Offset of a block from the top in px. */
  getTop(index: number): number {
    let sum = 0
    for (let at = Math.min(index, this.count); at > 0; at -= at & -at) sum += this.#sum(at)
    return sum
  }

  /** The block at an offset from the top; the last block if the offset is beyond the end. */
  at(px: number): number {
    let [index, left] = [0, px]
    for (let step = this.#top; step > 0; step = Math.floor(step / 2)) {
      const next = index + step
      if (next <= this.count && this.#sum(next) <= left) {
        index = next
        left -= this.#sum(next)
      }
    }
    return Math.max(Math.min(index, this.count - 1), 0)
  }
}
