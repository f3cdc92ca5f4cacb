import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Dataset, UpdateDatasetParams } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { datasetMutation } from '#data/datasets.ts'
import { useMay } from '#data/me.ts'
import { checkSetting, printSetting, readSetting } from '#lib/datasets/json-settings.ts'
import { describeFailure } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { CONTROL, FormField, TextField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { useDraft } from '#ui/hooks.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { toast } from '#ui/toast.tsx'
import { TYPE_LABELS } from '../-datasets-controller.ts'

/** Name and description; the type cannot be changed. */
export function GeneralSection({ dataset }: { dataset: Dataset }) {
  const mayWrite = useMay('member')
  const saved = { name: dataset.name, description: dataset.description ?? '' }
  const draft = useDraft(saved)
  const save = useMutation(datasetMutation.update(useQueryClient()))
  const { name, description } = draft.value
  const isTaken = describeFailure(save.error).status === 409
  const nameError = name.trim() === '' ? 'Enter a name.' : isTaken ? 'Another dataset has this name.' : undefined
  const labels = { name: 'Name', description: 'Description' } as const
  return (
    <FormSection
      title="General"
      changes={draft.changed.map((field) => ({ label: labels[field], from: saved[field], to: draft.value[field] }))}
      isSaving={save.isPending}
      isInvalid={name.trim() === ''}
      error={isTaken ? undefined : save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          { datasetId: dataset.id, name: name.trim(), description: description === '' ? null : description },
          {
            onSuccess: () => {
              draft.discard()
              toast.done('Saved the dataset')
            },
          },
        )
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      <TextField
        label="Name"
        hint="Programs that load the dataset by its old name no longer find it."
        error={nameError}
        maxLength={1000}
        value={name}
        spellCheck={false}
        onChange={(typed) => {
          draft.set({ name: typed })
          save.reset()
        }}
      />
      <FormField label="Description">
        {(props) => (
          <textarea
            {...props}
            rows={3}
            className={`${CONTROL} h-auto resize-y py-1.5`}
            value={description}
            onChange={(event) => draft.set({ description: event.target.value })}
          />
        )}
      </FormField>
      <p className="text-row text-fg-muted">
        Type: {TYPE_LABELS[dataset.data_type ?? 'kv'] ?? dataset.data_type}. The type cannot be changed.
      </p>
    </FormSection>
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
  )
  const save = useMutation(datasetMutation.update(useQueryClient()))
  const edited = draft.changed.map((field) => ({ field, read: readSetting(draft.value[field] ?? '') }))
  const canSave = edited.every(({ read }) => 'value' in read)
  function submit() {
    const change: UpdateDatasetParams & { datasetId: string } = { datasetId: dataset.id }
    for (const { field, read } of edited) if ('value' in read) change[field] = read.value
    save.mutate(change, {
      onSuccess: () => {
        draft.discard()
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
      isInvalid={!canSave}
      error={save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={submit}
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
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
            onSave={() => draft.changed.length > 0 && canSave && submit()}
            readOnly={!mayWrite}
            mayBeEmpty
          />
        </div>
      ))}
    </FormSection>
  )
}
