import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { feedbackConfigMutation } from '#data/feedback-configs.ts'
import { parseRefusal } from '#lib/errors.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { toast } from '#ui/toast.tsx'
import { CategoryRows } from './-category-rows.tsx'
import { type ConfigDraft, toConfig, validateConfigDraft } from './-config-draft.ts'

export interface ConfigDialogProps {
  start: ConfigDraft
  /** Whether the key already has a configuration. */
  isKnown: boolean
  onClose: () => void
}

/** Edits the configuration of a feedback key. Validation errors of the server are shown at their fields. */
export function ConfigDialog({ start, isKnown, onClose }: ConfigDialogProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(start)
  const [tried, setTried] = useState(false)
  const save = useMutation({
    ...(isKnown ? feedbackConfigMutation.update(queryClient) : feedbackConfigMutation.create(queryClient)),
  })
  const own = validateConfigDraft(draft)
  const refusal = parseRefusal(save.error)
  const wrong: Readonly<Record<string, string>> = { ...refusal?.fields, ...(tried && own) }

  function edit(change: Partial<ConfigDraft>) {
    setDraft((before) => ({ ...before, ...change }))
    save.reset()
  }
  function submit() {
    setTried(true)
    if (Object.keys(own).length > 0) return
    save.mutate(
      { key: draft.key, config: toConfig(draft), isLowerScoreBetter: draft.isLowerBetter },
      {
        onSuccess: () => {
          onClose()
          toast.done(`Saved ${draft.key}`)
        },
      },
    )
  }

  return (
    <FormDialog
      title={isKnown ? `Edit ${start.key}` : 'New feedback key'}
      action={isKnown ? 'Save' : 'Create'}
      errorTitle="Could not save the feedback key"
      isPending={save.isPending}
      error={
        Object.keys(refusal?.fields ?? {}).length > 0
          ? undefined
          : refusal?.sentence === undefined
            ? save.error
            : new Error(refusal.sentence)
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Key"
        hint={
          isKnown
            ? 'The name of a key cannot be changed.'
            : 'The key used by evaluators and reviewers, for example correctness.'
        }
        error={wrong.feedback_key}
        disabled={isKnown}
        value={draft.key}
        autoComplete="off"
        onChange={(typed) => edit({ key: typed })}
        isCode
      />
      <div className="flex flex-col gap-1 text-row text-fg-muted">
        <span>Type</span>
        <Segmented
          label="Type"
          value={draft.type}
          onChange={(type) => edit({ type })}
          options={[
            { value: 'continuous', label: 'Number' },
            { value: 'categorical', label: 'Category' },
            { value: 'freeform', label: 'Free text' },
          ]}
        />
      </div>
      <ScaleFields draft={draft} wrong={wrong} onEdit={edit} />
    </FormDialog>
  )
}

interface ScaleFieldsProps {
  draft: ConfigDraft
  /** Validation errors by wire field. */
  wrong: Readonly<Record<string, string>>
  onEdit: (change: Partial<ConfigDraft>) => void
}

/** The fields that depend on the type of the key. */
function ScaleFields({ draft, wrong, onEdit }: ScaleFieldsProps) {
  return (
    <>
      {draft.type === 'continuous' && (
        <div className="grid grid-cols-2 gap-3">
          <Limit
            label="Minimum"
            value={draft.min}
            error={wrong['feedback_config.min']}
            onChange={(min) => onEdit({ min })}
          />
          <Limit
            label="Maximum"
            value={draft.max}
            error={wrong['feedback_config.max']}
            onChange={(max) => onEdit({ max })}
          />
        </div>
      )}
      {draft.type === 'categorical' && (
        <CategoryRows categories={draft.categories} wrong={wrong} onChange={(categories) => onEdit({ categories })} />
      )}
      {draft.type !== 'freeform' && (
        <label className="flex items-start gap-2 text-base">
          <input
            type="checkbox"
            className="mt-1"
            checked={draft.isLowerBetter}
            onChange={(event) => onEdit({ isLowerBetter: event.target.checked })}
          />
          <span>
            Lower is better
            <span className="block text-row text-fg-muted">Comparisons show a decrease as an improvement.</span>
          </span>
        </label>
      )}
    </>
  )
}

interface LimitProps {
  label: string
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

function Limit({ label, value, error, onChange }: LimitProps) {
  return (
    <TextField label={label} error={error} hint="Leave empty for no limit" value={value} onChange={onChange} isNumber />
  )
}
