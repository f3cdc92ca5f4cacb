import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NameField } from '#ui/combobox.tsx'
import { FIELD, Field } from '#ui/field.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { datasetQuery } from '../queries.ts'

/** Dataset and split as typed. */
export interface DatasetTarget {
  dataset: string
  split: string
}

interface DatasetFieldsProps {
  value: DatasetTarget
  onChange: (value: DatasetTarget) => void
  /** Shown below the fields for an existing dataset. */
  note?: (datasetId: string) => ReactNode
}

/** Fields for an existing or a new dataset and one of its splits. */
export function DatasetFields({ value, onChange, note }: DatasetFieldsProps) {
  const wanted = value.dataset.trim()
  const searched = useSettledText(wanted)
  const known = useQuery({ ...datasetQuery.search(searched), placeholderData: keepPreviousData })
  const existing = known.data?.find(({ name }) => name === wanted)
  return (
    <div className="grid gap-3 sm:grid-cols-[1fr_10rem]">
      <NameField
        label="Dataset"
        value={value.dataset}
        onChange={(dataset) => onChange({ ...value, dataset })}
        names={known.data?.map(({ name }) => name) ?? []}
        whenNew={known.isFetching || searched !== wanted ? '' : 'No dataset has this name. A new one will be created.'}
        placeholder="Select a dataset or enter a new name"
      />
      <Field label="Split">
        <input
          value={value.split}
          onChange={(event) => onChange({ ...value, split: event.target.value })}
          className={FIELD}
        />
      </Field>
      {existing !== undefined && note?.(existing.id)}
    </div>
  )
}

interface KeyListProps {
  label: string
  keys: readonly string[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Checkboxes for the keys of an object. */
export function KeyList({ label, keys, chosen, onChange }: KeyListProps) {
  return (
    <fieldset className="flex max-h-32 flex-col gap-1 overflow-y-auto">
      <legend className="text-row text-fg-muted">{label}</legend>
      {keys.length === 0 && <p className="text-row text-fg-subtle">No keys</p>}
      {keys.map((key) => (
        <label key={key} className="flex min-w-0 items-center gap-2 text-row">
          <input
            type="checkbox"
            checked={chosen.includes(key)}
            onChange={({ target }) =>
              onChange(keys.filter((one) => (one === key ? target.checked : chosen.includes(one))))
            }
          />
          <span className="truncate font-mono">{key}</span>
        </label>
      ))}
    </fieldset>
  )
}
