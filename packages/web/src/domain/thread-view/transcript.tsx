import type { Run } from '@touchstone/sdk'
import { type Ref, useImperativeHandle, useRef } from 'react'
import { useMeasuredWindow } from '#ui/use-measured-window.tsx'
import { TurnBlock } from './turn-block.tsx'
import { TurnRail } from './turn-rail.tsx'

export interface TranscriptHandle {
  /** Puts a turn at the top of the view. Turns count from 0 here. */
  scrollTo: (index: number) => void
  /** First and last turn in view. */
  inView: () => { first: number; last: number }
}

export interface TranscriptProps {
  turns: readonly Run[]
  active: number
  onActivate: (index: number) => void
  /** Opens the trace of a turn beside the conversation. */
  onOpen: (index: number) => void
  ref?: Ref<TranscriptHandle>
}

/** A turn that was not drawn yet, in px. */
const GUESS = 180

/** A conversation of any length; only the turns in view are mounted and read. */
export function Transcript({ turns, active, onActivate, onOpen, ref }: TranscriptProps) {
  const scroller = useRef<HTMLElement>(null)
  const view = useMeasuredWindow(scroller, { count: turns.length, guess: GUESS })
  useImperativeHandle(ref, () => ({
    scrollTo: view.scrollTo,
    inView: () => ({ first: view.first, last: view.last }),
  }))
  function pick(index: number) {
    view.scrollTo(index)
    onActivate(index)
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <section
        ref={scroller}
        aria-label="Conversation"
        data-pane="list"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 min-w-0 flex-1 overflow-y-auto bg-bg outline-offset-[-2px] [overflow-anchor:none]"
      >
        <div className="relative" style={{ height: view.total }}>
          {view.blocks.map(({ index, top }) => (
            <div
              key={turns[index]!.id}
              ref={view.measure}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${top}px)` }}
            >
              <div className="mx-auto max-w-4xl">
                <TurnBlock
                  turn={turns[index]!}
                  before={turns[index - 1]}
                  number={index + 1}
                  isActive={index === active}
                  onActivate={() => onActivate(index)}
                  onOpen={() => onOpen(index)}
                />
              </div>
            </div>
          ))}
        </div>
      </section>
      <TurnRail turns={turns} first={view.first} last={view.last} active={active} onPick={pick} />
    </div>
  )
}
