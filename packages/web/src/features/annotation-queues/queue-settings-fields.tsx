import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { apiKeyQuery } from '#features/accounts/api-keys/queries.ts'
import { memberQuery } from '#features/accounts/members/queries.ts'
import { datasetQuery } from '#features/datasets/queries.ts'
import { Combobox } from '#ui/combobox.tsx'
import { CONTROL, FormField, TextField } from '#ui/field.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { Select } from '#ui/select.tsx'
import type { DatasetChoice, findSettingsProblems, SettingsDraft } from './queue-settings.ts'

interface FieldsProps {
  draft: SettingsDraft
  problems: ReturnType<typeof findSettingsProblems>
  onChange: (change: Partial<SettingsDraft>) => void
}

interface QueueFieldsProps extends FieldsProps {
  /** Id of the saved default dataset. */
  savedDatasetId?: string | undefined
}

/** Name, description, instructions and the dataset for corrections. */
export function QueueFields({ draft, problems, onChange, savedDatasetId }: QueueFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        maxLength={1000}
        error={problems.name}
        onChange={(name) => onChange({ name })}
      />
      <TextField label="Description" value={draft.description} onChange={(description) => onChange({ description })} />
      <DatasetField value={draft.dataset} savedId={savedDatasetId} onChange={(dataset) => onChange({ dataset })} />
      <FormField label="Instructions for reviewers (Markdown)">
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            rows={4}
            value={draft.instructions}
            onChange={(event) => onChange({ instructions: event.target.value })}
            className={`${CONTROL} !h-auto resize-y py-1.5`}
          />
        )}
      </FormField>
    </>
  )
}

interface DatasetFieldProps {
  value: DatasetChoice
  savedId: string | undefined
  onChange: (choice: DatasetChoice) => void
}

/** A field for the name of a dataset, with suggestions while the user types. */
function DatasetField({ value, savedId, onChange }: DatasetFieldProps) {
  const id = 'id' in value ? value.id : undefined
  const own = useQuery({ ...datasetQuery.one(id ?? ''), enabled: id !== undefined })
  const text = 'name' in value ? value.name : (own.data?.name ?? (own.isError ? value.id : ''))
  const saved = useQuery({ ...datasetQuery.one(savedId ?? ''), enabled: savedId !== undefined }).data
  // The name of the saved dataset is no change.
  const choose = (name: string) =>
    onChange(savedId !== undefined && name.trim() === saved?.name ? { id: savedId } : { name })
  const wanted = text.trim()
  const searched = useSettledText(wanted)
  const found = useQuery({ ...datasetQuery.search(searched), placeholderData: keepPreviousData })
  const names = (found.data ?? []).map(({ name }) => name)
  const isSearched = searched === wanted && found.isSuccess && !found.isFetching
  const isUnknown = 'name' in value && wanted !== '' && isSearched && !names.includes(wanted)
  return (
    <FormField
      label="Default dataset"
      hint="Reviewers add corrected runs to this dataset. Leave empty for none."
      error={isUnknown ? 'No dataset has this name.' : undefined}
    >
      {(props) => (
        <Combobox {...props} value={text} placeholder="Type a part of the name" onChange={choose} suggestions={names} />
      )}
    </FormField>
  )
}

const ACCESS: readonly { value: SettingsDraft['access']; label: string }[] = [
  { value: 'any', label: 'Every member' },
  { value: 'assigned', label: 'Assigned reviewers only' },
]

/** How many reviews an item needs, by whom, and how long it is reserved. */
export function ReviewerFields({
  draft,
  problems,
  onChange,
  known,
}: FieldsProps & { known: NonNullable<AnnotationQueueWithDetails['assigned_reviewers']> }) {
  return (
    <>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <TextField
          label="Reviews per item"
          hint="Empty: everyone who may review."
          value={draft.reviewersPerItem}
          isNumber
          error={problems.reviewersPerItem}
          onChange={(reviewersPerItem) => onChange({ reviewersPerItem: reviewersPerItem.trim() })}
        />
        <TextField
          label="Reserved for, in minutes"
          hint="While someone reviews an item, others get another one."
          value={draft.isReserved ? draft.reservationMinutes : ''}
          isNumber
          disabled={!draft.isReserved}
          error={problems.reservationMinutes}
          onChange={(reservationMinutes) => onChange({ reservationMinutes: reservationMinutes.trim() })}
        />
      </div>
      <label className="flex items-center gap-1.5 text-row">
        <input
          type="checkbox"
          checked={draft.isReserved}
          onChange={(event) => onChange({ isReserved: event.target.checked })}
        />
        Reserve an item for the reviewer who opens it
      </label>
      <FormField label="Who may review">
        {(props) => (
          <Select {...props} value={draft.access} onChange={(access) => onChange({ access })} options={ACCESS} />
        )}
      </FormField>
      <label className="flex items-start gap-1.5 text-row">
        <input
          type="checkbox"
          checked={draft.isBlind}
          onChange={(event) => onChange({ isBlind: event.target.checked })}
          className="mt-0.5"
        />
        <span className="min-w-0">
          Hide others' scores
          <span className="block text-meta text-fg-subtle">
            Reviewers see what other people said about an item after they have completed it.
          </span>
        </span>
      </label>
      {draft.access === 'assigned' && (
        <AssignedReviewers chosen={draft.reviewers} known={known} onChange={(reviewers) => onChange({ reviewers })} />
      )}
    </>
  )
}

interface AssignedReviewersProps {
  chosen: readonly string[]
  /** Reviewers who are assigned already; some may have left the workspace. */
  known: NonNullable<AnnotationQueueWithDetails['assigned_reviewers']>
  onChange: (ids: readonly string[]) => void
}

function AssignedReviewers({ chosen, known, onChange }: AssignedReviewersProps) {
  const members = useQuery(memberQuery.list()).data ?? []
  const keys = useQuery(apiKeyQuery.list()).data ?? []
  const options = new Map(known.map(({ id, name, email }) => [id, name ?? email ?? id]))
  for (const { id, name, email } of members) options.set(id, name || email)
  for (const { id, description, short_key } of keys) options.set(id, `${description || short_key} (key)`)
  return (
    <fieldset className="flex flex-col gap-1 rounded-card border border-border p-3">
      <legend className="px-1 text-row text-fg-muted">Assigned reviewers</legend>
      {options.size === 0 && <p className="text-row text-fg-subtle">There are no members and no API keys yet.</p>}
      {[...options].map(([id, name]) => (
        <label key={id} className="flex min-h-6 items-center gap-1.5 text-row">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
            }
          />
          <span className="truncate">{name}</span>
        </label>
      ))}
      {chosen.length === 0 && <p className="text-row text-err">Select at least one reviewer.</p>}
    </fieldset>
  )
}
