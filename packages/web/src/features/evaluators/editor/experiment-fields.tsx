import { useInfiniteQuery } from '@tanstack/react-query'
import { datasetQuery } from '#features/datasets/queries.ts'
import { experimentQuery } from '#features/experiments/queries.ts'
import { FormField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState } from '#ui/states.tsx'

export interface ChosenExperiment {
  readonly datasetId: string
  readonly experimentId: string
}

interface ExperimentFieldsProps {
  value: ChosenExperiment
  onChange: (value: ChosenExperiment) => void
}

/** Chooses an experiment: first its dataset, then one of the newest hundred. */
export function ExperimentFields({ value, onChange }: ExperimentFieldsProps) {
  const datasets = useInfiniteQuery(datasetQuery.list())
  const experiments = useInfiniteQuery({
    ...experimentQuery.list(value.datasetId, undefined),
    enabled: value.datasetId !== '',
  })
  const all = datasets.data?.pages.flat() ?? []
  const found = experiments.data?.pages.flat() ?? []
  const error = datasets.error ?? experiments.error
  return (
    <>
      {error !== null && <ErrorState compact title="Could not load datasets and experiments" error={error} />}
      <FormField
        label="Dataset"
        hint={datasets.isSuccess && all.length === 0 ? 'There are no datasets yet.' : undefined}
      >
        {(props) => (
          <Select
            {...props}
            value={value.datasetId}
            placeholder="Choose a dataset"
            onChange={(datasetId) => onChange({ datasetId, experimentId: '' })}
            options={all.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
      </FormField>
      <FormField
        label="Experiment"
        hint={
          value.datasetId !== '' && experiments.isSuccess && found.length === 0
            ? 'The dataset has no experiments yet.'
            : undefined
        }
      >
        {(props) => (
          <Select
            {...props}
            disabled={value.datasetId === ''}
            value={value.experimentId}
            placeholder="Choose an experiment"
            onChange={(experimentId) => onChange({ ...value, experimentId })}
            options={found.map(({ id, name }) => ({ value: id, label: name ?? id }))}
          />
        )}
      </FormField>
    </>
  )
}
