import type { Run } from '@touchstone/sdk'
import { type Ref, useImperativeHandle, useRef } from 'react'
import { pluralize } from '#lib/format.ts'
import { useMeasuredWindow } from '#ui/use-measured-window.tsx'
import { TurnBlock } from './turn-block.tsx'

export interface TranscriptHandle {
  /** Scrolls a turn to the top. Turns count from 0. */
  scrollTo: (index: number) => void
  /** First and last turn in view. */
  inView: () => { first: number; last: number }
}

export interface TranscriptProps {
  turns: readonly Run[]
  active: number
  onActivate: (index: number) => void
  /** Opens the trace of a turn beside the conversation, optionally at its feedback. */
  onOpen: (index: number, tab?: 'feedback') => void
  /** Id of the turn whose score form is open. */
  scoring: string | undefined
  /** Opens or closes the score form of a turn; absent for users who may not score. */
  onScoring?: ((runId: string | undefined) => void) | undefined
  ref?: Ref<TranscriptHandle>
}

/** Estimated height of a turn before it is rendered, in px. */
const ESTIMATED_HEIGHT = 180

/** A conversation of any length. Only the turns in view are rendered and loaded. */
export function Transcript({ turns, active, onActivate, onOpen, scoring, onScoring, ref }: TranscriptProps) {
  const scroller = useRef<HTMLElement>(null)
  const view = useMeasuredWindow(scroller, { count: turns.length, guess: ESTIMATED_HEIGHT })
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
          {view.blocks.map(({ index, top }) => {
            const turn = turns[index]
            if (!turn) return null
            return (
              <div
                key={turn.id}
                ref={view.measure}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${top}px)` }}
              >
                <div className="mx-auto max-w-4xl">
                  <TurnBlock
                    turn={turn}
                    before={turns[index - 1]}
                    number={index + 1}
                    isActive={index === active}
                    onActivate={() => onActivate(index)}
                    onOpen={(tab) => onOpen(index, tab)}
                    isScoring={turn.id === scoring}
                    onScoring={onScoring && ((isOpen) => onScoring(isOpen ? turn.id : undefined))}
                  />
                </div>
              </div>
            )
          })}
        </div>
      </section>
      <TurnRail turns={turns} first={view.first} last={view.last} active={active} onPick={pick} />
    </div>
  )
}

interface TurnRailProps {
  turns: readonly Run[]
  /** First and last turn in view, from 0. */
  first: number
  last: number
  active: number
  onPick: (index: number) => void
}

/**
 * An overview of the conversation: a tick per turn, failed turns in red, the turns in view shaded. For the pointer only;
 * the keys j, k and e have the same effect.
 */
function TurnRail({ turns, first, last, active, onPick }: TurnRailProps) {
  const count = Math.max(turns.length, 1)
  const failed = turns.flatMap((turn, index) => (turn.status === 'error' ? [index] : []))
  const drawTicks = (indexes: readonly number[], from: number, to: number) =>
    indexes.map((index) => `M${from} ${((index + 0.5) / count) * 1000}H${to}`).join('')
  const all = turns.length <= 400 ? drawTicks([...turns.keys()], 6, 14) : ''
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      role="img"
      aria-label={`${pluralize(turns.length, 'turn')}, ${failed.length} failed`}
      onClick={({ clientY, currentTarget }) => {
        const { top, height } = currentTarget.getBoundingClientRect()
        onPick(Math.min(Math.max(Math.floor(((clientY - top) / height) * count), 0), turns.length - 1))
      }}
      className="hidden w-5 shrink-0 cursor-pointer border-l border-border bg-sunken sm:block"
    >
      <svg viewBox="0 0 20 1000" preserveAspectRatio="none" className="block size-full" aria-hidden="true">
        <rect
          x="0"
          width="20"
          y={(first / count) * 1000}
          height={Math.max(((last + 1 - first) / count) * 1000, 4)}
          className="fill-selected"
        />
        <path d={all} className="stroke-border-strong" strokeWidth="1" vectorEffect="non-scaling-stroke" />
        <path d={drawTicks(failed, 3, 17)} className="stroke-err" strokeWidth="3" vectorEffect="non-scaling-stroke" />
        <path
          d={drawTicks([active], 0, 20)}
          className="stroke-accent"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </div>
  )
}
