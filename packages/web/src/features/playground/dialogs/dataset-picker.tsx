import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { workspaceQuery } from '#features/accounts/me.ts'
import { datasetQuery } from '#features/datasets/queries.ts'
import { versionQuery } from '#features/datasets/versions/queries.ts'
import { toVersionOptions } from '#features/datasets/versions/version-options.ts'
import { FormField } from '#ui/field.tsx'
import { useAllPages } from '#ui/hooks.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState } from '#ui/states.tsx'

interface DatasetPickerProps {
  datasetId: string
  /** Empty for the newest version. */
  asOf: string
  onDataset: (datasetId: string) => void
  onVersion: (asOf: string) => void
}

/** Chooses a dataset of the workspace and one of its versions. */
export function DatasetPicker({ datasetId, asOf, onDataset, onVersion }: DatasetPickerProps) {
  const listed = useAllPages(useInfiniteQuery(datasetQuery.list()))
  const datasets = listed.data?.pages.flat() ?? []
  const hasDataset = datasetId !== ''
  const versions = useAllPages(useInfiniteQuery({ ...versionQuery.pages(datasetId), enabled: hasDataset }))
  const workspace = useQuery(workspaceQuery.current()).data?.display_name
  const failed = [
    { title: 'Could not load the datasets', query: listed },
    { title: 'Could not load the versions', query: versions },
  ].filter(({ query }) => query.error !== null)
  return (
    <>
      {failed.map(({ title, query }) => (
        <ErrorState key={title} compact title={title} error={query.error} onRetry={() => void query.refetch()} />
      ))}
      <div className="grid gap-3 sm:grid-cols-2">
        <FormField label="Dataset" hint={workspace && `Datasets of the workspace ${workspace}.`}>
          {(props) => (
            <Select
              {...props}
              value={datasetId}
              placeholder={
                listed.isSuccess && datasets.length === 0 ? 'The workspace has no datasets' : 'Choose a dataset'
              }
              disabled={listed.isSuccess && datasets.length === 0}
              onChange={onDataset}
              options={datasets.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </FormField>
        <FormField label="Version">
          {(props) => (
            <Select
              {...props}
              value={asOf}
              disabled={!hasDataset}
              onChange={onVersion}
              options={[{ value: '', label: 'The newest' }, ...toVersionOptions(versions.data?.pages.flat() ?? [])]}
            />
          )}
        </FormField>
      </div>
    </>
  )
}
