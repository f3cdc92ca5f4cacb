import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AnnotationQueueItem, AnnotationQueueWithDetails } from '@touchstone/sdk'
import { Database, Pencil } from 'lucide-react'
import { type Ref, useImperativeHandle, useState } from 'react'
import { datasetQuery } from '#data/datasets.ts'
import { addItemToDataset, writeCorrection } from '#data/reviews.ts'
import type { RunDocument } from '#data/traces.ts'
import { DiffView } from '#domain/diff-view/diff-view.tsx'
import { CORRECTION_KEY, findMine, parseCorrection, type ReviewRecord } from '#lib/annotation-queues/review-records.ts'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { indentJson } from '#lib/json/locate-json.ts'
import { Button } from '#ui/button.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { Kbd, useShortcuts } from '#ui/shortcuts.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'

export interface CorrectionHandle {
  edit: () => void
  addToDataset: () => void
}

export interface CorrectionProps {
  tenant: string
  item: AnnotationQueueItem
  queue: AnnotationQueueWithDetails
  document: RunDocument
  authorId: string | null
  records: readonly ReviewRecord[]
  isReadOnly: boolean
  ref?: Ref<CorrectionHandle>
}

/** The corrected output of a run: edited as JSON, compared with the original, added to the dataset of the queue. */
export function Correction(props: CorrectionProps) {
  const { item, queue, document, authorId, records, isReadOnly, ref } = props
  const queryClient = useQueryClient()
  const original = useQuery(outputsQuery(document)).data
  const stored = findMine(records, CORRECTION_KEY)?.correction
  const corrected = typeof stored === 'object' && stored !== null ? stored : undefined
  const [text, setText] = useState<string>()
  const save = useMutation({
    mutationFn: (outputs: object | undefined) => writeCorrection({ queryClient, item, authorId }, outputs),
    onSuccess: () => setText(undefined),
  })
  const add = useMutation({
    mutationFn: () => addItemToDataset(item, corrected),
    onSuccess: () => toast.done(corrected ? 'Added the corrected example' : 'Added the example'),
    onError: (cause) => toast.failure('Could not add the example', cause),
  })
  const parsed = text === undefined ? undefined : parseCorrection(text)
  const mayAdd = queue.default_dataset != null && !add.isPending && !isReadOnly
  function edit() {
    if (!isReadOnly && original !== undefined) setText(corrected ? JSON.stringify(corrected, null, 2) : original)
  }
  const cancel = () => setText(undefined)
  function submit() {
    if (parsed !== undefined && 'outputs' in parsed) save.mutate(parsed.outputs)
  }
  useShortcuts('Review', text === undefined ? [] : [{ keys: 'escape', label: 'Cancel the correction', run: cancel }])
  useImperativeHandle(ref, () => ({
    edit,
    addToDataset: () => {
      if (mayAdd) add.mutate()
      else if (queue.default_dataset == null)
        toast.failure('The queue has no default dataset. Choose one in its settings.')
    },
  }))
  return (
    <section aria-label="Correction" className="border-t border-border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-form font-semibold">{corrected ? 'Corrected output' : 'Output'}</h2>
        {text === undefined && (
          <Button onClick={edit} disabled={isReadOnly || original === undefined}>
            <Pencil size={12} aria-hidden />
            {corrected ? 'Edit the correction' : 'Correct'} <Kbd keys="e" />
          </Button>
        )}
        {corrected && text === undefined && (
          <Button look="quiet" disabled={isReadOnly || save.isPending} onClick={() => save.mutate(undefined)}>
            Remove the correction
          </Button>
        )}
        <DatasetButton {...props} isAdded={add.isSuccess} mayAdd={mayAdd} onAdd={() => add.mutate()} />
      </div>
      {save.isError && <ErrorState compact title="Could not save the correction" error={save.error} />}
      {text !== undefined && (
        <div className="mt-2 flex flex-col gap-2">
          <JsonEditor
            autoFocus
            label="Corrected output"
            value={text}
            onChange={setText}
            check={checkObject}
            onSave={submit}
          />
          <div className="flex justify-end gap-2">
            <Button onClick={cancel}>Cancel</Button>
            <Button
              look="primary"
              disabled={parsed === undefined || 'problem' in parsed || save.isPending}
              onClick={submit}
            >
              Save the correction
            </Button>
          </div>
        </div>
      )}
      {text === undefined && corrected && original !== undefined && (
        <CorrectionDiff before={original} after={JSON.stringify(corrected, null, 2)} />
      )}
    </section>
  )
}

function checkObject(text: string) {
  const parsed = parseCorrection(text)
  return 'problem' in parsed ? [parsed.problem] : []
}

interface DatasetButtonProps extends Pick<CorrectionProps, 'tenant' | 'queue'> {
  mayAdd: boolean
  isAdded: boolean
  onAdd: () => void
}

function DatasetButton({ tenant, queue, mayAdd, isAdded, onAdd }: DatasetButtonProps) {
  const id = queue.default_dataset ?? undefined
  const dataset = useQuery({ ...datasetQuery.one(id ?? ''), enabled: id !== undefined })
  const name = dataset.data?.name ?? 'the dataset'
  return (
    <span className="ml-auto flex min-w-0 items-center gap-2">
      {isAdded && id !== undefined && (
        <Link
          to="/o/$tenant/datasets/$datasetId"
          params={{ tenant, datasetId: id }}
          target="_blank"
          className="truncate text-row text-accent hover:underline"
        >
          In {name}
        </Link>
      )}
      <Button
        disabled={!mayAdd}
        title={id === undefined ? 'Choose a default dataset in the settings of the queue.' : undefined}
        onClick={onAdd}
      >
        <Database size={12} aria-hidden />
        <span className="max-w-48 truncate">{id === undefined ? 'Add to dataset' : `Add to ${name}`}</span>
        <Kbd keys="shift+d" />
      </Button>
    </span>
  )
}

function CorrectionDiff({ before, after }: { before: string; after: string }) {
  const diff = useQuery({
    queryKey: ['correction-diff', before, after],
    queryFn: ({ signal }) => askDiff({ kind: 'json', a: before, b: after }, signal),
    gcTime: 0,
    meta: { quiet: true },
  })
  if (diff.isError) {
    return <ErrorState compact title="Could not compare" error={diff.error} onRetry={() => void diff.refetch()} />
  }
  return (
    <section aria-label="Changes of the correction" className="mt-2 rounded-card border border-border">
      {diff.data && <DiffView diff={diff.data} />}
    </section>
  )
}

/** The output of a run as indented JSON, with its numbers as they are stored. */
function outputsQuery(document: RunDocument) {
  return {
    queryKey: ['review-outputs', document.run.id, document.readAt],
    queryFn: async (): Promise<string> => {
      const field = document.json.fields.find(({ key }) => key === 'outputs')
      const text = field && field.kind !== 'null' ? await document.json.call('text', field.start, field.end) : '{}'
      return indentJson(text)
    },
    gcTime: 0,
    meta: { quiet: true },
  }
}
