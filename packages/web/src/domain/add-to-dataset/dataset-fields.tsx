import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { datasetQuery } from '#data/datasets.ts'
import { FIELD, Field } from '#ui/field.tsx'
import { NameField } from '#ui/name-field.tsx'

/** Where examples go, as it is typed. */
export interface DatasetTarget {
  dataset: string
  split: string
}

/** Asks for a dataset, an existing one or a new one, and a split of it. */
export function DatasetFields({ value, onChange }: { value: DatasetTarget; onChange: (value: DatasetTarget) => void }) {
  const wanted = useDeferredValue(value.dataset.trim())
  const known = useQuery({ ...datasetQuery.named(wanted), placeholderData: keepPreviousData })
  return (
    <div className="grid gap-3 sm:grid-cols-[1fr_10rem]">
      <NameField
        label="Dataset"
        value={value.dataset}
        onChange={(dataset) => onChange({ ...value, dataset })}
        names={known.data?.map(({ name }) => name) ?? []}
        whenNew={known.isFetching ? '' : 'No dataset has this name: it will be created.'}
        placeholder="Pick one, or name a new one"
      />
      <Field label="Split">
        <input
          value={value.split}
          onChange={(event) => onChange({ ...value, split: event.target.value })}
          className={FIELD}
        />
      </Field>
    </div>
  )
}
