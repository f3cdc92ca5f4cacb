import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { BulkAction, BulkCount } from '@touchstone/sdk'
import { type ReactNode, useState } from 'react'
import { QueueField } from '#features/annotation-queues/add-to-queue-dialog.tsx'
import { type BulkRequest, type BulkRuns, bulkQuery, startBulk } from '#features/bulk-jobs/queries.ts'
import { DatasetFields, type DatasetTarget, KeyList } from '#features/datasets/add-to-dataset/dataset-fields.tsx'
import { formatAbsoluteTime, formatCount, pluralize } from '#lib/format.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { FIELD, Field } from '#ui/field.tsx'
import { StatusMark } from '#ui/run-icons.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { ErrorState } from '#ui/states.tsx'

export type BulkKind = BulkRequest['action']

export interface BulkDialogsProps {
  kind: BulkKind
  runs: BulkRuns
  onStarted: () => void
  onClose: () => void
}

/** The dialog of a bulk action. */
export function BulkDialogs({ kind, ...rest }: BulkDialogsProps) {
  if (kind === 'add_to_dataset') return <AddToDataset {...rest} />
  if (kind === 'add_to_queue') return <AddToQueue {...rest} />
  if (kind === 'export') return <ExportRuns {...rest} />
  return <DeleteTraces {...rest} />
}

type Props = Omit<BulkDialogsProps, 'kind'>

const MAPPINGS = [
  { value: 'whole', label: 'All keys', hint: 'Inputs and outputs as recorded' },
  { value: 'keys', label: 'Selected keys', hint: 'Only selected keys of inputs and outputs' },
] as const

function AddToDataset(props: Props) {
  const [target, setTarget] = useState<DatasetTarget>({ dataset: '', split: 'base' })
  const { data: counted } = useQuery(bulkQuery.count('add_to_dataset', props.runs))
  const [takes, setTakes] = useState<(typeof MAPPINGS)[number]['value']>('whole')
  const [changed, setPicked] = useState<PickedKeys>()
  // All keys of the sample are selected until the user changes the selection.
  const picked = takes === 'keys' ? (changed ?? (counted && collectSampleKeys(counted))) : undefined
  const [dataset, split] = [target.dataset.trim(), target.split.trim()]
  const isReady = dataset !== '' && split !== '' && (takes === 'whole' || picked !== undefined)
  return (
    <BulkDialog
      {...props}
      action="add_to_dataset"
      title="Add to dataset"
      verb="Add"
      request={isReady ? { action: 'add_to_dataset', dataset, split, keys: picked } : undefined}
    >
      <DatasetFields value={target} onChange={setTarget} />
      <div>
        <Segmented label="Include" value={takes} onChange={setTakes} options={MAPPINGS} />
      </div>
      {picked && counted && <PickedKeysFields counted={counted} value={picked} onChange={setPicked} />}
      <p className="text-row text-fg-muted">
        {takes === 'keys'
          ? 'Each run becomes an example with these keys and its attachments. You can undo this.'
          : 'Each run becomes an example with its inputs, outputs and attachments. You can undo this.'}
      </p>
    </BulkDialog>
  )
}

function AddToQueue(props: Props) {
  const [queue, setQueue] = useState('')
  return (
    <BulkDialog
      {...props}
      action="add_to_queue"
      title="Add to annotation queue"
      verb="Add"
      request={queue.trim() === '' ? undefined : { action: 'add_to_queue', queue: queue.trim() }}
    >
      <QueueField value={queue} onChange={setQueue} />
    </BulkDialog>
  )
}

const FORMATS = [
  { value: 'jsonl', label: 'JSONL', hint: 'One run per line, in the format of the API' },
  { value: 'csv', label: 'CSV', hint: 'For spreadsheets; payloads as JSON text' },
  { value: 'parquet', label: 'Parquet', hint: 'For pandas, DuckDB, Spark; payloads as JSON text' },
] as const
const COLUMN_SETS = [
  { value: 'full', label: 'All fields', hint: 'Including inputs, outputs and metadata' },
  { value: 'figures', label: 'Metrics only', hint: 'Names, times, status, tokens, cost and feedback' },
] as const
const CELL_MODES = [
  {
    value: 'spreadsheet',
    label: 'Safe for spreadsheets',
    hint: 'Adds an apostrophe before cells that look like formulas',
  },
  { value: 'stored', label: 'As stored', hint: 'For programs. Spreadsheets may run cells as formulas.' },
] as const
const FIGURE_COLUMNS =
  'id trace_id parent_run_id name run_type status start_time end_time error tags prompt_tokens completion_tokens total_tokens total_cost feedback_stats'

function ExportRuns(props: Props) {
  const [format, setFormat] = useState<(typeof FORMATS)[number]['value']>('jsonl')
  const [what, setWhat] = useState<(typeof COLUMN_SETS)[number]['value']>('full')
  const [cells, setCells] = useState<(typeof CELL_MODES)[number]['value']>('spreadsheet')
  const request = {
    action: 'export' as const,
    format,
    for: format === 'csv' && cells === 'spreadsheet' ? ('spreadsheet' as const) : undefined,
    select: what === 'figures' ? FIGURE_COLUMNS.split(' ') : undefined,
  }
  return (
    <BulkDialog {...props} action="export" title="Export" verb="Export" request={request}>
      <div className="flex flex-wrap gap-3">
        <Segmented label="Format" value={format} onChange={setFormat} options={FORMATS} />
        <Segmented label="Include" value={what} onChange={setWhat} options={COLUMN_SETS} />
        {format === 'csv' && <Segmented label="Cells" value={cells} onChange={setCells} options={CELL_MODES} />}
      </div>
      <p className="text-row text-fg-muted">
        {FORMATS.find(({ value }) => value === format)?.hint}. The server creates the file and keeps it for a week.
        Download it from Jobs at the bottom of the page.
      </p>
    </BulkDialog>
  )
}

function DeleteTraces(props: Props) {
  const [typed, setTyped] = useState('')
  const { data: counted } = useQuery(bulkQuery.count('delete', props.runs))
  const isTyped = counted !== undefined && typed === String(counted.traces)
  return (
    <BulkDialog
      {...props}
      action="delete"
      title="Delete traces"
      verb="Delete"
      takesTraces
      request={isTyped ? { action: 'delete' } : undefined}
    >
      <p className="text-base">
        This deletes entire traces with their feedback and attachments, including runs you didn't select. This cannot be
        undone.
      </p>
      {counted !== undefined && counted.traces > 0 && (
        <Field
          label={
            <>
              {pluralize(counted.runs, 'run')} in {pluralize(counted.traces, 'trace')}. Type{' '}
              <strong className="font-semibold text-fg">{counted.traces}</strong> to confirm
            </>
          }
        >
          <input
            value={typed}
            inputMode="numeric"
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value.trim())}
            className={FIELD}
          />
        </Field>
      )}
    </BulkDialog>
  )
}

/** Keys to copy from the runs into the examples. */
interface PickedKeys {
  inputs: string[]
  outputs: string[]
}

interface PickedKeysFieldsProps {
  counted: BulkCount
  value: PickedKeys
  onChange: (value: PickedKeys) => void
}

/** Selects the keys of inputs and outputs to copy, from those of the latest runs. */
function PickedKeysFields({ counted, value, onChange }: PickedKeysFieldsProps) {
  const keys = collectSampleKeys(counted)
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <KeyList
          label="Input keys"
          keys={keys.inputs}
          chosen={value.inputs}
          onChange={(inputs) => onChange({ ...value, inputs })}
        />
        <KeyList
          label="Output keys"
          keys={keys.outputs}
          chosen={value.outputs}
          onChange={(outputs) => onChange({ ...value, outputs })}
        />
      </div>
      <p className="text-row text-fg-muted">
        Missing keys are skipped.
        {counted.sample.length < counted.runs && ` Only keys of the latest ${counted.sample.length} runs are listed.`}
      </p>
    </>
  )
}

/** All top-level keys of the inputs and outputs in the sample. */
function collectSampleKeys({ sample }: BulkCount): PickedKeys {
  return {
    inputs: [...new Set(sample.flatMap(({ input_keys }) => input_keys ?? []))],
    outputs: [...new Set(sample.flatMap(({ output_keys }) => output_keys ?? []))],
  }
}

interface BulkDialogProps {
  action: BulkAction
  runs: BulkRuns
  title: string
  /** Verb on the button, before the count: `Export`. */
  verb: string
  /** Counts traces instead of runs. */
  takesTraces?: boolean
  /** The job to start; undefined while a required field is empty. */
  request: BulkRequest | undefined
  /** Fields and explanation of this action. */
  children: ReactNode
  onStarted: () => void
  onClose: () => void
}

/** Confirms a bulk action: shows how many runs the server counts, a sample of them, and the fields of the action. */
function BulkDialog({
  action,
  runs,
  title,
  verb,
  takesTraces,
  request,
  children,
  onStarted,
  onClose,
}: BulkDialogProps) {
  const queryClient = useQueryClient()
  const counted = useQuery(bulkQuery.count(action, runs))
  const start = useMutation({
    mutationFn: (job: { request: BulkRequest; counted: BulkCount }) =>
      startBulk(queryClient, runs, job.request, job.counted),
    onSuccess: () => {
      onStarted()
      onClose()
    },
    onError: () => void counted.refetch(), // the number may have changed
  })
  const total = takesTraces ? counted.data?.traces : counted.data?.runs
  const noun = takesTraces ? 'trace' : 'run'
  const { data } = counted
  return (
    <FormDialog
      title={title}
      width="max-w-xl"
      action={`${verb} ${total === undefined ? '…' : pluralize(total, noun)}`}
      look={action === 'delete' ? 'danger' : 'primary'}
      errorTitle="Could not start the job"
      canSubmit={request !== undefined && total !== undefined && total > 0}
      isPending={start.isPending}
      error={start.error}
      onSubmit={() => request && data && start.mutate({ request, counted: data })}
      onClose={onClose}
    >
      {counted.isError && <ErrorState compact title="Could not count the runs" error={counted.error} />}
      {children}
      <BulkSample counted={data} />
    </FormDialog>
  )
}

/** The latest of the counted runs, so that users can check the selection. */
function BulkSample({ counted }: { counted: BulkCount | undefined }) {
  if (counted === undefined) {
    return <p className="text-row text-fg-muted">Counting runs…</p>
  }
  const { runs, sample } = counted
  if (runs === 0) return <p className="text-row text-fg-muted">No runs match right now.</p>
  return (
    <section aria-label="Sample" className="flex flex-col gap-1">
      <p className="text-row text-fg-muted">
        {sample.length < runs ? `Latest ${sample.length} of ${formatCount(runs)}:` : 'All selected runs:'}
      </p>
      <ul className="divide-y divide-border overflow-hidden rounded-card border border-border">
        {sample.map((run) => (
          <li key={run.id} className="flex items-center gap-2 px-2 py-1 text-row">
            <span className="flex w-3.5 shrink-0">
              <StatusMark status={run.status} start_time={run.start_time} />
            </span>
            <span dir="auto" className="max-w-[30%] shrink-0 truncate font-medium">
              {run.name}
            </span>
            <span className="min-w-0 flex-1 truncate text-fg-muted">{run.inputs_preview}</span>
            <time dateTime={run.start_time} className="shrink-0 text-meta text-fg-muted tabular-nums">
              {formatAbsoluteTime(run.start_time)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}
