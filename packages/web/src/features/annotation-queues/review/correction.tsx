import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { indentJson } from '@touchstone/formats/locate-json'
import type { AnnotationQueueItem, AnnotationQueueWithDetails } from '@touchstone/sdk'
import { Database, Pencil } from 'lucide-react'
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { datasetQuery } from '#features/datasets/queries.ts'
import type { RunDocument } from '#features/traces/queries.ts'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { draftOwner } from '#lib/draft-owner.ts'
import { useStore } from '#lib/store.ts'
import { Button } from '#ui/button.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { Kbd, useShortcuts } from '#ui/shortcuts.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { CorrectionEditor } from './correction-editor.tsx'
import { type CorrectionDrafts, isUnsaved } from './logic/correction-drafts.ts'
import { CORRECTION_KEY, findMine, type ReviewRecord } from './logic/review-records.ts'
import { addItemToDataset, type ReviewPlace, writeCorrection } from './queries.ts'

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
  /** The corrections of all items that are not stored yet. */
  drafts: CorrectionDrafts<ReviewPlace>
  isReadOnly: boolean
  ref?: Ref<CorrectionHandle>
}

/** The corrected output of a run: edited as JSON, compared with the original, added to the dataset of the queue. */
export function Correction(props: CorrectionProps) {
  const { item, queue, document, authorId, records, drafts, isReadOnly, ref } = props
  const place = { queryClient: useQueryClient(), item, authorId }
  const section = useRef<HTMLElement>(null)
  const original = useQuery(outputsQuery(document)).data
  const corrected = findMine(records, CORRECTION_KEY)?.correction
  const draft = useStore(drafts.store).get(item.id)
  const [isOpenedHere, setOpenedHere] = useState(false)
  const remove = useMutation({ mutationFn: () => writeCorrection(place, undefined) })
  const add = useAddToDataset(place, drafts)
  const mayAdd = queue.default_dataset != null && !add.isPending && !isReadOnly
  const mayEdit = !isReadOnly && !remove.isPending && original !== undefined
  const setInvalid = useCallback((isInvalid: boolean) => drafts.setInvalidField(item.id, isInvalid), [drafts, item.id])
  const isOwned = useStore(draftOwner) !== undefined
  useEffect(() => {
    if (isOwned && mayEdit) drafts.resume(item.id, corrected ?? original)
  }, [drafts, item.id, corrected, original, isOwned, mayEdit])
  useFocusOnRefusal(draft?.refusals ?? 0, () => focusEditor(section.current))
  function edit() {
    if (draft !== undefined) focusEditor(section.current)
    if (draft !== undefined || !mayEdit) return
    setOpenedHere(true)
    drafts.open(item.id, corrected ?? original)
  }
  function cancel() {
    if (draft === undefined || draft.isSaving) return
    drafts.cancel(item.id)
    const undo = { label: 'Undo', run: () => drafts.restore(item.id, draft) }
    if (isUnsaved(draft)) toast.done('Discarded the changes of the correction', undo)
  }
  useShortcuts('Review', draft === undefined ? [] : [{ keys: 'escape', label: 'Cancel the correction', run: cancel }])
  useImperativeHandle(ref, () => ({
    edit,
    addToDataset: () => {
      if (mayAdd) add.mutate()
      else if (queue.default_dataset == null)
        toast.failure('The queue has no default dataset. Choose one in its settings.')
    },
  }))
  return (
    <section ref={section} aria-label="Correction" className="border-t border-border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-form font-semibold">{corrected === undefined ? 'Correction' : 'Corrected output'}</h2>
        {draft === undefined && (
          <Button onClick={edit} disabled={!mayEdit}>
            <Pencil size={12} aria-hidden />
            {corrected === undefined ? 'Correct the output' : 'Edit the correction'}
            <span className="coarse:hidden">
              <Kbd keys="e" />
            </span>
          </Button>
        )}
        {corrected !== undefined && draft === undefined && (
          <Button look="quiet" disabled={isReadOnly || remove.isPending} onClick={() => remove.mutate()}>
            Remove the correction
          </Button>
        )}
        <DatasetButton {...props} isAdded={add.isAdded} mayAdd={mayAdd} onAdd={add.mutate} />
      </div>
      {remove.isError && <ErrorState compact title="Could not remove the correction" error={remove.error} />}
      {draft !== undefined && (
        <CorrectionEditor
          draft={draft}
          autoFocus={isOpenedHere}
          onType={(text) => drafts.type(item.id, text)}
          onCancel={cancel}
          onSave={() => void drafts.save(place)}
          onValidity={setInvalid}
        />
      )}
      {draft === undefined && corrected !== undefined && original !== undefined && (
        <CorrectionDiff before={original} after={corrected} />
      )}
    </section>
  )
}

/** Writes the run into the default dataset, with the correction as it is on the screen. */
function useAddToDataset(place: ReviewPlace, drafts: CorrectionProps['drafts']) {
  const add = useMutation({
    // A correction that cannot be stored tells so itself.
    mutationFn: async () => ((await drafts.flush(place)) ? addItemToDataset(place) : undefined),
    onSuccess: (added) => added && toast.done(added.isCorrected ? 'Added the corrected example' : 'Added the example'),
    onError: (cause) => toast.failure('Could not add the example', cause),
  })
  return {
    isPending: add.isPending,
    isAdded: add.data !== undefined,
    mutate: () => {
      if (drafts.accept(place.item.id)) add.mutate()
    },
  }
}

function useFocusOnRefusal(refusals: number, focus: () => void) {
  const latest = useRef(focus)
  useEffect(() => {
    latest.current = focus
  })
  useEffect(() => {
    if (refusals > 0) latest.current()
  }, [refusals])
}

function focusEditor(section: HTMLElement | null) {
  const invalid = section?.querySelector<HTMLElement>('[aria-invalid=true]')
  ;(invalid ?? section?.querySelector<HTMLElement>('[role=textbox], textarea'))?.focus()
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
        <span className="coarse:hidden">
          <Kbd keys="shift+d" />
        </span>
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
