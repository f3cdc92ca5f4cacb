import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { pluralize } from '#lib/format.ts'
import { NameField } from '#ui/combobox.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { FIELD, Field } from '#ui/field.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { toast } from '#ui/toast.tsx'
import { datasetQuery } from '../queries.ts'
import { printStored, type SplitChange, toMetadataOperation, toSplitOperation } from './logic/bulk-changes.ts'
import { changeMetadata, copyExamples, exampleQuery } from './queries.ts'

export type BulkKind = 'splits' | 'metadata' | 'copy'

export interface BulkDialogProps {
  datasetId: string
  /** Ids of the selected examples. */
  ids: readonly string[]
  /** Known metadata keys. */
  metadataKeys: readonly string[]
  onClose: () => void
}

/** The dialogs of actions on the selected examples. */
export function BulkDialogs({ kind, ...props }: BulkDialogProps & { kind: BulkKind }) {
  if (kind === 'splits') return <SplitsDialog {...props} />
  return kind === 'metadata' ? <MetadataDialog {...props} /> : <CopyDialog {...props} />
}

const SPLIT_CHANGES = [
  { value: 'add', label: 'Add', hint: 'The examples stay in their other splits' },
  { value: 'move', label: 'Move', hint: 'The examples are only in this split then' },
  { value: 'remove', label: 'Remove', hint: 'The examples leave this split' },
] as const satisfies readonly { value: SplitChange; label: string; hint: string }[]

function SplitsDialog({ datasetId, ids, onClose }: BulkDialogProps) {
  const queryClient = useQueryClient()
  const known = useQuery(exampleQuery.splits(datasetId))
  const [change, setChange] = useState<SplitChange>('add')
  const [split, setSplit] = useState('')
  const name = split.trim()
  const save = useMutation({
    mutationFn: () => changeMetadata(queryClient, datasetId, ids, toSplitOperation(change, name)),
    onSuccess: (count) => {
      toast.done(`${pluralize(count, 'example')} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Splits of ${countExamples(ids)}`}
      action="Change splits"
      canSubmit={name !== ''}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <div>
        <Segmented label="Change" value={change} onChange={setChange} options={SPLIT_CHANGES} />
      </div>
      <NameField
        label={change === 'remove' ? 'From the split' : 'To the split'}
        value={split}
        onChange={setSplit}
        names={known.data ?? []}
        whenNew={change === 'remove' ? 'No example is in this split.' : 'A new split'}
      />
    </FormDialog>
  )
}

function MetadataDialog({ datasetId, ids, metadataKeys, onClose }: BulkDialogProps) {
  const queryClient = useQueryClient()
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const save = useMutation({
    mutationFn: () => changeMetadata(queryClient, datasetId, ids, toMetadataOperation(key.trim(), value)),
    onSuccess: (count) => {
      toast.done(`${pluralize(count, 'example')} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Metadata of ${countExamples(ids)}`}
      description="Other keys of their metadata stay."
      action="Set metadata"
      canSubmit={key.trim() !== ''}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <NameField label="Key" value={key} onChange={setKey} names={metadataKeys} />
      <Field label="Value" hint={`Stored as ${printStored(value)}`}>
        <input value={value} onChange={(event) => setValue(event.target.value)} autoComplete="off" className={FIELD} />
      </Field>
    </FormDialog>
  )
}

function CopyDialog({ datasetId, ids, onClose }: BulkDialogProps) {
  const queryClient = useQueryClient()
  const [dataset, setDataset] = useState('')
  const name = dataset.trim()
  const searched = useSettledText(name)
  const known = useQuery({ ...datasetQuery.search(searched), placeholderData: keepPreviousData })
  const copy = useMutation({
    mutationFn: (target: string) => copyExamples(queryClient, datasetId, ids, target),
    onSuccess: (_, target) => {
      toast.done(`${countExamples(ids)} copied to ${target}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Copy ${countExamples(ids)}`}
      description="With their attachments, under new ids."
      action="Copy"
      canSubmit={name !== ''}
      isPending={copy.isPending}
      error={copy.error}
      onSubmit={() => copy.mutate(name)}
      onClose={onClose}
    >
      <NameField
        label="To the dataset"
        value={dataset}
        onChange={setDataset}
        names={known.data?.filter(({ id }) => id !== datasetId).map((one) => one.name) ?? []}
        whenNew={known.isFetching || searched !== name ? '' : 'No dataset has this name. A new one will be created.'}
      />
    </FormDialog>
  )
}

function countExamples(ids: readonly string[]): string {
  return pluralize(ids.length, 'example')
}
