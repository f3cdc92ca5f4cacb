import type { FeedbackConfig } from '@touchstone/sdk'
import { cx } from '#lib/browser/cx.ts'
import { FIELD, Field, TEXT_AREA } from '#ui/field.tsx'
import type { FeedbackValue } from './feedback-values.ts'

export interface ScoreInputProps {
  /** What scores of the key mean; without it, any number and any label go. */
  config: FeedbackConfig | undefined
  mark: FeedbackValue
  onChange: (mark: FeedbackValue) => void
}

/** The controls that a key's scores ask for: a slider, one button per category, or text. */
export function ScoreInput({ config, mark, onChange }: ScoreInputProps) {
  if (config?.type === 'categorical') return <Categories config={config} mark={mark} onChange={onChange} />
  if (config?.type === 'continuous') return <NumberScore config={config} mark={mark} onChange={onChange} />
  if (config?.type === 'freeform') {
    return (
      <Field label="Value">
        <textarea
          value={mark.value ?? ''}
          onChange={(event) => onChange({ value: event.target.value || undefined })}
          className={TEXT_AREA}
        />
      </Field>
    )
  }
  return (
    <div className="flex flex-wrap gap-3">
      <Field label="Score" className="w-28">
        <NumberField mark={mark} onChange={(score) => onChange({ ...mark, score })} />
      </Field>
      <Field label="Label (optional)" className="min-w-32 flex-1">
        <input
          value={mark.value ?? ''}
          onChange={(event) => onChange({ ...mark, value: event.target.value || undefined })}
          className={FIELD}
        />
      </Field>
    </div>
  )
}

function Categories({ config, mark, onChange }: ScoreInputProps) {
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="mb-1 text-row text-fg-muted">Verdict</legend>
      {config?.categories?.map(({ value, label }) => {
        const isChosen = mark.score === value
        return (
          <button
            key={value}
            type="button"
            aria-pressed={isChosen}
            onClick={() => onChange({ score: value, value: label ?? undefined })}
            className={cx(
              'inline-flex min-h-7 items-center gap-1.5 rounded-control border px-2.5 text-row font-medium coarse:min-h-10',
              isChosen ? 'border-accent bg-selected text-fg' : 'border-border bg-surface text-fg hover:bg-hover',
            )}
          >
            {label ?? value}
            {label != null && <span className="font-normal tabular-nums text-fg-muted">{value}</span>}
          </button>
        )
      })}
    </fieldset>
  )
}

function NumberScore({ config, mark, onChange }: ScoreInputProps) {
  const { min, max } = config ?? {}
  const isBounded = min != null && max != null && max > min
  const change = (score: number | undefined) => onChange({ score })
  return (
    <div className="flex items-end gap-3">
      {isBounded && (
        <Field label={`Score, ${min} to ${max}`} className="min-w-24 flex-1">
          <input
            type="range"
            min={min}
            max={max}
            step={(max - min) / 100}
            value={mark.score ?? (min + max) / 2}
            aria-valuetext={mark.score === undefined ? 'none yet' : String(mark.score)}
            onChange={(event) => change(Number(event.target.value))}
            className={cx('h-8 coarse:h-10', mark.score === undefined && 'opacity-50')}
          />
        </Field>
      )}
      <Field label={isBounded ? 'Exactly' : `Score${describeBounds(min, max)}`} className="w-28">
        <NumberField mark={mark} onChange={change} />
      </Field>
    </div>
  )
}

function NumberField({ mark, onChange }: { mark: FeedbackValue; onChange: (score: number | undefined) => void }) {
  return (
    <input
      type="number"
      step="any"
      value={mark.score ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)}
      className={`${FIELD} tabular-nums`}
    />
  )
}

function describeBounds(min: number | null | undefined, max: number | null | undefined): string {
  if (min != null) return `, from ${min}`
  return max == null ? '' : `, up to ${max}`
}
