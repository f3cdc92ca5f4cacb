import { useQuery } from '@tanstack/react-query'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { apiKeyQuery } from '#data/api-keys.ts'
import { datasetQuery } from '#data/datasets.ts'
import { memberQuery } from '#data/members.ts'
import type { findSettingsProblems, SettingsDraft } from '#lib/annotation-queues/queue-settings.ts'
import { CONTROL, FormField, TextField } from '#ui/field.tsx'

interface FieldsProps {
  draft: SettingsDraft
  problems: ReturnType<typeof findSettingsProblems>
  onChange: (change: Partial<SettingsDraft>) => void
}

/** Name, description, instructions and the dataset for corrections. */
export function QueueFields({ draft, problems, onChange }: FieldsProps) {
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
      <DatasetField value={draft.dataset} onChange={(dataset) => onChange({ dataset })} />
      <FormField label="Instructions for reviewers (Markdown)">
        {(props) => (
          <textarea
            {...props}
            rows={4}
            value={draft.instructions}
            onChange={(event) => onChange({ instructions: event.target.value })}
            className={`${CONTROL} h-auto resize-y py-1.5`}
          />
        )}
      </FormField>
    </>
  )
}

/** A list of datasets; a dataset that is not among the first ones stays selected. */
function DatasetField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const found = useQuery(datasetQuery.search('')).data ?? []
  const own = useQuery({ ...datasetQuery.one(value), enabled: value !== '' }).data
  const options = own === undefined || found.some(({ id }) => id === own.id) ? found : [own, ...found]
  return (
    <FormField label="Default dataset" hint="Corrected runs are added to it with D.">
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.target.value)} className={CONTROL}>
          <option value="">None</option>
          {value !== '' && options.every(({ id }) => id !== value) && <option value={value}>{value}</option>}
          {options.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </FormField>
  )
}

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
          <select
            {...props}
            value={draft.access}
            onChange={(event) => onChange({ access: event.target.value as SettingsDraft['access'] })}
            className={CONTROL}
          >
            <option value="any">Every member</option>
            <option value="assigned">Assigned reviewers only</option>
          </select>
        )}
      </FormField>
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
