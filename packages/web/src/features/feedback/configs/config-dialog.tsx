import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FeedbackConfigSchema } from '@touchstone/sdk'
import { useState } from 'react'
import { parseRefusal } from '#lib/errors.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { toast } from '#ui/toast.tsx'
import { useEdit } from '#ui/use-edit.tsx'
import { CategoryRows } from './category-rows.tsx'
import { type ConfigDraft, toConfig, toConfigDraft, validateConfigDraft } from './config-draft.ts'
import { feedbackConfigMutation, readFeedbackConfig } from './queries.ts'

export interface ConfigDialogProps {
  start: ConfigDraft
  /** The configuration that the key has, as it was read. */
  known?: FeedbackConfigSchema | undefined
  onClose: () => void
}

const TYPES: Record<ConfigDraft['type'], string> = {
  continuous: 'Number',
  categorical: 'Category',
  freeform: 'Free text',
}

const LABELS: Record<keyof ConfigDraft, string> = {
  key: 'Key',
  type: 'Type',
  min: 'Minimum',
  max: 'Maximum',
  categories: 'Categories',
  allowsMultiple: 'Several categories',
  isLowerBetter: 'Lower is better',
}

const printCategories = (categories: ConfigDraft['categories']) =>
  categories.map(({ value, label }) => (label === '' ? value : `${value}: ${label}`)).join('\n')

/** Edits the configuration of a feedback key. Validation errors of the server are shown at their fields. */
export function ConfigDialog({ start, known, onClose }: ConfigDialogProps) {
  const queryClient = useQueryClient()
  const [tried, setTried] = useState(false)
  const create = useMutation(feedbackConfigMutation.create(queryClient))
  const update = useMutation(feedbackConfigMutation.update(queryClient))
  const isKnown = known !== undefined
  const edit = useEdit({
    what: 'this feedback key',
    labels: LABELS,
    print: { categories: printCategories, type: (type) => TYPES[type] },
    stored: known,
    toDraft: toConfigDraft,
    start,
    read: () => readFeedbackConfig(start.key),
    save: async (draft, base) => {
      const input = { key: draft.key, config: toConfig(draft), isLowerScoreBetter: draft.isLowerBetter }
      if (base) await update.mutateAsync({ ...input, base })
      else await create.mutateAsync(input)
      onClose()
      toast.done(`Saved ${draft.key}`)
    },
  })
  const draft = edit.value
  const own = validateConfigDraft(draft)
  const refusal = parseRefusal(edit.error)
  const wrong: Readonly<Record<string, string>> = { ...refusal?.fields, ...(tried && own) }

  function submit() {
    setTried(true)
    if (Object.keys(own).length === 0) void edit.submit()
  }

  return (
    <FormDialog
      title={isKnown ? `Edit ${start.key}` : 'New feedback key'}
      action={isKnown ? 'Save' : 'Create'}
      errorTitle="Could not save the feedback key"
      canSubmit={!edit.isOvertaken}
      isPending={edit.isPending}
      error={
        Object.keys(refusal?.fields ?? {}).length > 0
          ? undefined
          : refusal?.sentence === undefined
            ? edit.error
            : new Error(refusal.sentence)
      }
      onSubmit={submit}
      onClose={onClose}
    >
      {edit.conflict}
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
        onChange={(typed) => edit.set({ key: typed })}
        isCode
      />
      <div className="flex flex-col gap-1 text-row text-fg-muted">
        <span>Type</span>
        <Segmented
          label="Type"
          value={draft.type}
          onChange={(type) => edit.set({ type })}
          options={Object.entries(TYPES).map(([value, label]) => ({ value: value as ConfigDraft['type'], label }))}
        />
      </div>
      <ScaleFields draft={draft} wrong={wrong} onEdit={edit.set} />
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
