import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Dataset, DatasetExpectation, UpdateDatasetParams } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { GeneralSection } from '#ui/general-section.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { TYPE_LABELS } from '../datasets-controller.ts'
import { datasetMutation } from '../queries.ts'
import { checkSetting, printSetting, readSetting } from '../schema/json-settings.ts'

/** Name and description; the type cannot be changed. */
export function DatasetGeneralSection({ dataset }: { dataset: Dataset }) {
  const { mutate, ...save } = useMutation(datasetMutation.update(useQueryClient()))
  return (
    <GeneralSection
      noun="dataset"
      nameHint="Programs that load the dataset by its old name no longer find it."
      saved={{ name: dataset.name, description: dataset.description ?? '' }}
      keptAs={`dataset ${dataset.id}`}
      mayWrite={useMay('member')}
      save={{
        ...save,
        submit: ({ description, ...rest }, expected, callbacks) => {
          const text = description === '' ? null : description
          mutate({ datasetId: dataset.id, ...rest, description: text, expected }, callbacks)
        },
      }}
    >
      <p className="text-row text-fg-muted">
        Type: {TYPE_LABELS[dataset.data_type ?? 'kv'] ?? dataset.data_type}. The type cannot be changed.
      </p>
    </GeneralSection>
  )
}

/** Metadata of the dataset, by which programs find it. */
export function MetadataSection({ dataset }: { dataset: Dataset }) {
  return (
    <JsonSettings
      dataset={dataset}
      title="Metadata"
      description="A JSON object. Lists of datasets can be filtered by it."
      fields={{ metadata: { label: 'Metadata', saved: printSetting(dataset.metadata) } }}
      done="Saved the metadata"
    />
  )
}

/** The schemas that inputs and outputs of every example must satisfy. */
export function SchemaSection({ dataset }: { dataset: Dataset }) {
  return (
    <JsonSettings
      dataset={dataset}
      title="Schemas"
      description="JSON Schemas that every example must satisfy. A schema is refused while existing examples do not satisfy it. Leave a schema empty to allow any object."
      fields={{
        inputsSchema: { label: 'Schema of inputs', saved: printSetting(dataset.inputs_schema_definition) },
        outputsSchema: { label: 'Schema of reference outputs', saved: printSetting(dataset.outputs_schema_definition) },
      }}
      done="Saved the schemas"
    />
  )
}

type JsonField = 'metadata' | 'inputsSchema' | 'outputsSchema'

interface JsonSettingsProps {
  dataset: Dataset
  title: string
  description: ReactNode
  fields: Partial<Record<JsonField, { label: string; saved: string }>>
  /** What a save did. */
  done: string
}

/** A section with an editor per JSON field. */
function JsonSettings({ dataset, title, description, fields, done }: JsonSettingsProps) {
  const mayWrite = useMay('member')
  const shown = Object.entries(fields) as [JsonField, { label: string; saved: string }][]
  const draft = useDraft<Partial<Record<JsonField, string>>>(
    Object.fromEntries(shown.map(([field, { saved }]) => [field, saved])),
    `${title} of dataset ${dataset.id}`,
  )
  const save = useMutation(datasetMutation.update(useQueryClient()))
  const edited = draft.changed.map((field) => ({ field, read: readSetting(draft.value[field] ?? '') }))
  // What is being saved comes back before the draft ends.
  const overtaken = save.isPending ? [] : draft.overtaken
  const canSave = edited.every(({ read }) => 'value' in read)
  function submit() {
    const change: UpdateDatasetParams & { datasetId: string } = { datasetId: dataset.id }
    const expected: DatasetExpectation = {}
    for (const { field, read } of edited) {
      const base = readSetting(draft.base[field] ?? '')
      if ('value' in read) change[field] = read.value
      if ('value' in base) expected[field] = base.value
    }
    change.expected = expected
    save.mutate(change, {
      onSuccess: () => {
        draft.settle(draft.value)
        toast.done(done)
      },
    })
  }
  return (
    <FormSection
      title={title}
      description={description}
      changes={draft.changed.map((field) => ({ label: fields[field]?.label ?? field }))}
      isSaving={save.isPending}
      isInvalid={!canSave || overtaken.length > 0}
      error={overtaken.length > 0 ? undefined : save.error}
      isRestored={draft.isRestored}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={submit}
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      {overtaken.length > 0 && (
        <EditConflict
          what="this dataset"
          fields={overtaken.map((field) => ({
            label: fields[field]?.label ?? field,
            theirs: fields[field]?.saved ?? '',
            mine: draft.value[field] ?? '',
          }))}
          keepLabel="Keep mine"
          onKeep={draft.keep}
          onTake={() => draft.follow(overtaken)}
        />
      )}
      {shown.map(([field, { label }]) => (
        <div key={field} className="flex min-w-0 flex-col gap-1">
          <p aria-hidden className="text-row text-fg-muted">
            {label}
          </p>
          <JsonEditor
            label={label}
            value={draft.value[field] ?? ''}
            onChange={(text) => draft.set({ [field]: text })}
            check={checkSetting}
            onSave={() => draft.changed.length > 0 && overtaken.length === 0 && canSave && submit()}
            readOnly={!mayWrite}
            mayBeEmpty
          />
        </div>
      ))}
    </FormSection>
  )
}
