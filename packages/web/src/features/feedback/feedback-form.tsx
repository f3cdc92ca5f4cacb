import type { Feedback, FeedbackConfig, FeedbackConfigSchema } from '@touchstone/sdk'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { isSameJson } from '#lib/changes.ts'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { FIELD, Field, TEXT_AREA } from '#ui/field.tsx'
import { DraftRestored } from '#ui/form-section.tsx'
import { ErrorState } from '#ui/states.tsx'
import { useEdit } from '#ui/use-edit.tsx'
import { type FeedbackContent, type FeedbackValue, toContent, validateFeedbackValue } from './feedback-values.ts'
import { NOTE, readFeedback } from './queries.ts'

export interface FeedbackDraft extends FeedbackContent {
  key: string
}

export interface FeedbackFormProps {
  /** The feedback to edit; without it, new feedback is created. */
  record?: Feedback | undefined
  /** Configurations of the known feedback keys. */
  configs: readonly FeedbackConfigSchema[]
  /** What new feedback is about, for its draft, which survives a reload. */
  about?: string
  /** Label of the submit button. */
  action: string
  /** @param base  the record that the edit is based on, if it is one */
  onSave: (draft: FeedbackDraft, base: Feedback | undefined) => Promise<void>
  onCancel: () => void
}

const LABELS = { key: 'Key', score: 'Score', value: 'Label', comment: 'Comment' }
const NO_MARK = { score: undefined, value: undefined }
const NO_CONTENT: FeedbackContent = { ...NO_MARK, comment: '' }
const toDraft = (record: Feedback): FeedbackDraft => ({ key: record.key, ...toContent(record) })

/** Form for a key, its value and a comment. Ctrl+Enter saves, Esc cancels. */
export function FeedbackForm({ record, configs, about, action, onSave, onCancel }: FeedbackFormProps) {
  const [objection, setObjection] = useState<string>()
  const edit = useEdit({
    what: 'this feedback',
    labels: LABELS,
    stored: record,
    toDraft,
    start: { key: configs[0]?.feedback_key ?? '', ...NO_CONTENT },
    keptAs: record === undefined ? about && `feedback about ${about}` : `feedback ${record.id}`,
    read: () => readFeedback(record?.id ?? ''),
    // A correction is not a field of the form, and another score would replace it.
    mayRepeat: (before, after) => isSameJson(before.correction, after.correction),
    save: ({ key, comment, ...mark }, base) => onSave({ ...mark, key: key.trim(), comment: comment.trim() }, base),
  })
  const { key, comment, ...mark } = edit.value
  const setMark = (next: FeedbackValue) => edit.set({ ...NO_MARK, ...next })
  const form = useRef<HTMLFormElement>(null)
  const keys = configs.map(({ feedback_key }) => feedback_key)
  const known = configs.find(({ feedback_key }) => feedback_key === key)
  const config = known?.feedback_config

  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' })
    form.current?.querySelector<HTMLElement>('input, textarea, button')?.focus()
  }, [])

  async function save(event?: FormEvent) {
    event?.preventDefault()
    if (edit.isPending || edit.isOvertaken) return
    const isEmpty = mark.score === undefined && mark.value === undefined && comment.trim() === ''
    const problem =
      key.trim() === ''
        ? 'Enter a key.'
        : (validateFeedbackValue(mark, config) ?? (isEmpty ? 'Enter a score, a label or a comment.' : undefined))
    setObjection(problem)
    if (problem === undefined) await edit.submit()
  }
  function cancel() {
    edit.discard()
    onCancel()
  }
  function hear(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    else if (event.key === 'Escape') cancel()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <form
      ref={form}
      aria-label={record === undefined ? 'New feedback' : `Edit ${record.key}`}
      noValidate
      onSubmit={save}
      onKeyDown={hear}
      className="flex flex-col gap-3 rounded-card border border-border-strong bg-surface p-3"
    >
      {edit.isRestored && <DraftRestored onDiscard={edit.discard} />}
      {edit.conflict}
      {record === undefined && (
        <Field label="Key">
          <Combobox
            value={key}
            maxLength={180}
            placeholder="For example correctness"
            onChange={(typed) => edit.set({ ...NO_MARK, key: typed })}
            suggestions={keys}
          />
        </Field>
      )}
      {record?.key !== NOTE && <ScoreInput config={config} mark={mark} onChange={setMark} />}
      {known?.is_lower_score_better && <p className="text-meta text-fg-muted">Lower is better.</p>}
      <Field label="Comment">
        <textarea
          dir="auto"
          value={comment}
          onChange={(event) => edit.set({ comment: event.target.value })}
          className={TEXT_AREA}
        />
      </Field>
      {objection !== undefined && (
        <p role="alert" className="text-row text-err">
          {objection}
        </p>
      )}
      {edit.error !== null && <ErrorState compact title="Could not save the feedback" error={edit.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={cancel}>Cancel</Button>
        <Button look="primary" type="submit" disabled={edit.isPending || edit.isOvertaken}>
          {action}
        </Button>
      </div>
    </form>
  )
}

interface ScoreInputProps {
  /** Configuration of the key; without it, any number and any label are allowed. */
  config: FeedbackConfig | undefined
  mark: FeedbackValue
  onChange: (mark: FeedbackValue) => void
}

/** Input that fits the configuration of the key: a slider, one button per category, or text. */
function ScoreInput({ config, mark, onChange }: ScoreInputProps) {
  if (config?.type === 'categorical') return <Categories config={config} mark={mark} onChange={onChange} />
  if (config?.type === 'continuous') return <NumberScore config={config} mark={mark} onChange={onChange} />
  if (config?.type === 'freeform') {
    return (
      <Field label="Value">
        <textarea
          dir="auto"
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
      <legend className="mb-1 text-row text-fg-muted">Rating</legend>
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
            aria-valuetext={mark.score === undefined ? 'no score' : String(mark.score)}
            onChange={(event) => change(Number(event.target.value))}
            className={cx('h-8 coarse:h-10', mark.score === undefined && 'opacity-50')}
          />
        </Field>
      )}
      <Field label={isBounded ? 'Exact score' : `Score${describeBounds(min, max)}`} className="w-28">
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
