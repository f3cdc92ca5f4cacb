import type { FeedbackConfigSchema } from '@touchstone/sdk'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { NOTE } from '#data/feedback.ts'
import { Button } from '#ui/button.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { FIELD, Field, TEXT_AREA } from '#ui/field.tsx'
import { type FeedbackValue, validateFeedbackValue } from './feedback-values.ts'
import { ScoreInput } from './score-input.tsx'

export interface FeedbackInput extends FeedbackValue {
  key: string
  comment: string
}

export interface FeedbackFormProps {
  /** What is changed; without it a new verdict is made. */
  initial?: FeedbackInput | undefined
  /** What the scores of known keys mean. */
  configs: readonly FeedbackConfigSchema[]
  /** The verb on the button. */
  action: string
  onSave: (verdict: FeedbackInput) => Promise<void>
  onCancel: () => void
}

/** Asks for a key, what its config asks for, and a comment. Ctrl Enter saves, Esc leaves. */
export function FeedbackForm({ initial, configs, action, onSave, onCancel }: FeedbackFormProps) {
  const [key, setKey] = useState(initial?.key ?? configs[0]?.feedback_key ?? '')
  const [mark, setMark] = useState<FeedbackValue>({ score: initial?.score, value: initial?.value })
  const [comment, setComment] = useState(initial?.comment ?? '')
  const [state, setState] = useState<{ busy: boolean; objection?: string; error?: unknown }>({ busy: false })
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  const known = configs.find(({ feedback_key }) => feedback_key === key)
  const config = known?.feedback_config

  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' })
    form.current?.querySelector<HTMLElement>('input, textarea, button')?.focus()
  }, [])

  async function save(event?: FormEvent) {
    event?.preventDefault()
    const isEmpty = mark.score === undefined && mark.value === undefined && comment.trim() === ''
    const objection =
      key.trim() === ''
        ? 'Name what is judged.'
        : (validateFeedbackValue(mark, config) ?? (isEmpty ? 'Give a score, a label or a comment.' : undefined))
    if (objection !== undefined) return setState({ busy: false, objection })
    setState({ busy: true })
    try {
      await onSave({ ...mark, key: key.trim(), comment: comment.trim() })
    } catch (error) {
      setState({ busy: false, error })
    }
  }
  function hear(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    else if (event.key === 'Escape') onCancel()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <form
      ref={form}
      aria-label={initial === undefined ? 'New feedback' : `Change ${initial.key}`}
      onSubmit={save}
      onKeyDown={hear}
      className="flex flex-col gap-3 rounded-card border border-border-strong bg-surface p-3"
    >
      {initial === undefined && (
        <Field label="Key">
          <input
            list={`${id}-keys`}
            value={key}
            maxLength={180}
            placeholder="What is judged, e.g. correctness"
            onChange={(event) => {
              setKey(event.target.value)
              setMark({})
            }}
            className={FIELD}
          />
          <datalist id={`${id}-keys`}>
            {configs.map(({ feedback_key }) => (
              <option key={feedback_key} value={feedback_key} />
            ))}
          </datalist>
        </Field>
      )}
      {initial?.key !== NOTE && <ScoreInput config={config} mark={mark} onChange={setMark} />}
      {known?.is_lower_score_better && <p className="text-meta text-fg-muted">Lower is better.</p>}
      <Field label="Comment">
        <textarea value={comment} onChange={(event) => setComment(event.target.value)} className={TEXT_AREA} />
      </Field>
      {state.objection !== undefined && (
        <p role="alert" className="text-row text-err">
          {state.objection}
        </p>
      )}
      {state.error !== undefined && <ErrorState compact title="It was not saved" error={state.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" type="submit" disabled={state.busy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
