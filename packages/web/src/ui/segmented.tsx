import type { KeyboardEvent } from 'react'
import { cx } from '#lib/browser.ts'

export interface SegmentedProps<Value extends string> {
  /** Accessible name of the choice. */
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string; hint?: string }[]
  /** `small` fits into the header of a card. @default 'normal' */
  size?: 'normal' | 'small'
}

/** How far arrows move the focus. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }

/**
 * A choice between a few visible options: one stop of Tab, arrows move the focus, Enter or Space chooses. The first page
 * has one, so that it does without Radix.
 */
export function Segmented<Value extends string>({
  label,
  value,
  onChange,
  options,
  size = 'normal',
}: SegmentedProps<Value>) {
  const hasChoice = options.some((option) => option.value === value)
  return (
    <div
      role="radiogroup"
      aria-label={label}
      onKeyDown={moveFocus}
      className={cx(
        'inline-flex w-fit shrink-0 rounded-control border border-border bg-sunken p-px',
        size === 'small' ? 'h-5 text-meta coarse:h-8' : 'h-7 text-row coarse:h-10',
      )}
    >
      {options.map((option, at) => {
        const isChosen = option.value === value
        return (
          <button
            key={option.value}
            type="button"
            role="radio"
            aria-checked={isChosen}
            tabIndex={isChosen || (!hasChoice && at === 0) ? 0 : -1}
            title={option.hint}
            onClick={() => !isChosen && onChange(option.value)}
            className={cx(
              size === 'small' ? 'px-1.5' : 'px-2.5',
              'rounded-control text-fg-muted hover:text-fg aria-checked:bg-surface aria-checked:font-medium aria-checked:text-fg aria-checked:shadow-[0_0_0_1px_var(--border)]',
            )}
          >
            {option.label}
          </button>
        )
      })}
    </div>
  )
}

/** Moves the focus between the radios of a group by arrows, Home and End. */
export function moveFocus(event: KeyboardEvent<HTMLElement>) {
  if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return
  const radios = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=radio]')]
  const at = radios.indexOf(event.target as HTMLElement)
  const step = STEPS[event.key]
  const ends: Readonly<Record<string, number>> = { Home: 0, End: -1 }
  const next = step === undefined ? ends[event.key] : (at + step) % radios.length
  if (next === undefined) return
  event.preventDefault()
  radios.at(next)?.focus()
}
