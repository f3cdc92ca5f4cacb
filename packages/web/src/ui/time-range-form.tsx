import { useId, useState } from 'react'
import { readNaturalTime } from '#lib/time/natural-time.ts'
import { formatTimeRange, PRESETS, printTimeRange, toBounds } from '#lib/time/time-range.ts'
import { Button } from './button.tsx'

export interface TimeRangeFormProps {
  /** The URL's `t`. */
  value: string
  onChoose: (t: string) => void
}

/** The content of a `TimeRangeMenu`. */
export function TimeRangeForm({ value, onChoose }: TimeRangeFormProps) {
  return (
    <>
      <TextRange onApply={onChoose} />
      <div className="flex flex-col">
        {PRESETS.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-current={preset === value || undefined}
            onClick={() => onChoose(preset)}
            className="flex h-7 items-center rounded-control px-2 text-left text-row hover:bg-hover aria-[current]:bg-selected aria-[current]:font-medium coarse:h-10"
          >
            {formatTimeRange(preset)}
          </button>
        ))}
      </div>
      <CustomRange value={value} onApply={onChoose} />
    </>
  )
}

function TextRange({ onApply }: { onApply: (t: string) => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const range = text.trim() === '' ? undefined : readNaturalTime(text, Date.now())
  return (
    <form
      className="mb-1"
      onSubmit={(event) => {
        event.preventDefault()
        if (range !== undefined) onApply(range)
      }}
    >
      <input
        aria-label="Time range as text"
        aria-describedby={id}
        placeholder="last 3 days, yesterday 14:00-15:00"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-7 w-full rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
      />
      <p id={id} role="status" className="min-h-4 px-2 text-meta text-fg-muted">
        {text.trim() === '' ? '' : range === undefined ? 'Not a valid time range' : `${formatTimeRange(range)} ↵`}
      </p>
    </form>
  )
}

function CustomRange({ value, onApply }: { value: string; onApply: (t: string) => void }) {
  const [initial] = useState(() => toBounds(value, Date.now()))
  const [from, setFrom] = useState(toLocal(initial.from))
  const [to, setTo] = useState(toLocal(initial.to))
  const isBackwards = from !== '' && to !== '' && from > to
  return (
    <form
      className="mt-2 flex flex-col gap-2 border-t border-border pt-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBackwards && (from !== '' || to !== '')) onApply(printTimeRange(toIso(from), toIso(to)))
      }}
    >
      <Field label="From" value={from} onChange={setFrom} />
      <Field label="To (leave empty for now)" value={to} onChange={setTo} />
      {isBackwards && (
        <p role="alert" className="text-meta text-err">
          The start must be before the end.
        </p>
      )}
      <Button type="submit" look="primary" disabled={isBackwards || (from === '' && to === '')}>
        Apply
      </Button>
    </form>
  )
}

function Field({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label className="flex flex-col gap-0.5 text-meta text-fg-muted">
      {label}
      <input
        type="datetime-local"
        step={1}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-7 rounded-control border border-border-strong bg-surface px-2 text-row text-fg coarse:h-10"
      />
    </label>
  )
}

/** The value of a datetime-local input, in the browser's time zone. */
function toLocal(iso: string | undefined): string {
  if (iso === undefined) return ''
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

function toIso(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString()
}
