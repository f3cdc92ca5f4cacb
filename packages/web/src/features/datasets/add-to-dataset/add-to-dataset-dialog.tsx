import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatBytes } from '#lib/format.ts'
import { createPreference, isText } from '#lib/preferences.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { Field, TEXT_AREA } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { toast } from '#ui/toast.tsx'
import { exampleQuery } from '../examples/queries.ts'
import { addExample } from '../queries.ts'
import { DatasetFields, type DatasetTarget, KeyList } from './dataset-fields.tsx'
import {
  type ExampleDraft,
  getTopLevelKeys,
  type MappedExample,
  type Mapping,
  mapRun,
  parseExampleDraft,
  type RunPayload,
} from './mapping.ts'

const lastDataset = createPreference('last-dataset', '', isText)

export interface AddToDatasetDialogProps {
  run: { id: string; name: string }
  /** Inputs and outputs of the run; undefined if they are too large to edit here. */
  payload: RunPayload | undefined
  /** Size of the whole run, shown if it is too large to edit. */
  bytes: number
  onClose: () => void
}

/** Creates an example from a run: select the dataset and the parts of the run, and edit the result before saving. */
export function AddToDatasetDialog({ run, payload, bytes, onClose }: AddToDatasetDialogProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { tenant = '' } = useParams({ strict: false })
  const [target, setTarget] = useState<DatasetTarget>(() => ({ dataset: lastDataset.read(), split: 'base' }))
  const [mapping, setMapping] = useState<Mapping>({ kind: 'whole' })
  const mapped = useMemo(() => payload && mapRun(payload, mapping), [payload, mapping])
  const [draft, setDraft] = useState<ExampleDraft>()
  const dataset = target.dataset.trim()
  const shown = draft ?? printExample(mapped)
  const example = parseExampleDraft(shown)

  function change(next: Mapping) {
    setMapping(next)
    setDraft(undefined)
  }
  const isUnedited = payload === undefined || (mapping.kind === 'whole' && draft === undefined)
  const add = useMutation({
    mutationFn: (sent: Parameters<typeof addExample>[1]) => addExample(queryClient, sent),
    onSuccess: ({ datasetId }, sent) => {
      lastDataset.write(sent.dataset)
      const open = () => void navigate({ to: '/o/$tenant/datasets/$datasetId', params: { tenant, datasetId } })
      toast.done(`Added to ${sent.dataset}`, { label: 'Open dataset', run: open })
      onClose()
    },
  })
  function submit() {
    add.mutate({
      dataset,
      split: target.split.trim() || 'base',
      sourceRunId: run.id,
      // The server copies unedited runs itself: that keeps numbers beyond double precision, and attachments.
      content: isUnedited || 'problem' in example ? undefined : example,
    })
  }

  return (
    <FormDialog
      title="Add to dataset"
      width="max-w-2xl"
      action="Add example"
      errorTitle="Could not add the example"
      canSubmit={dataset !== '' && (payload === undefined || !('problem' in example))}
      isPending={add.isPending}
      error={add.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <DatasetFields
        value={target}
        onChange={setTarget}
        note={(datasetId) => <ExampleOfRun datasetId={datasetId} runId={run.id} />}
      />
      {payload === undefined ? (
        <p className="text-base text-fg-muted">
          This run is too large to edit here ({formatBytes(bytes)}). Its inputs, outputs and attachments are copied
          unchanged.
        </p>
      ) : (
        <>
          <MappingChoice payload={payload} mapping={mapping} onChange={change} />
          {mapped === undefined ? (
            <p className="text-base text-fg-muted">No messages found in this run. Select another option.</p>
          ) : (
            <div className="grid gap-3 sm:grid-cols-2">
              <JsonField label="Inputs" value={shown.inputs} onChange={(inputs) => setDraft({ ...shown, inputs })} />
              <JsonField
                label="Reference outputs"
                value={shown.outputs}
                onChange={(outputs) => setDraft({ ...shown, outputs })}
              />
            </div>
          )}
          {mapped !== undefined && 'problem' in example && (
            <p role="alert" className="break-words text-row text-err">
              {example.problem}
            </p>
          )}
        </>
      )}
      <p className="text-meta text-fg-muted">The example links back to the run {run.name}.</p>
    </FormDialog>
  )
}

/** A notice that the dataset has an example of the run. It opens beside the dialog, which may hold edits. */
function ExampleOfRun({ datasetId, runId }: { datasetId: string; runId: string }) {
  const { tenant = '' } = useParams({ strict: false })
  const { data: example } = useQuery(exampleQuery.ofRun(datasetId, runId))
  if (example == null) return null
  return (
    <p role="status" className="flex gap-2 text-row text-fg-muted sm:col-span-2">
      <Info size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span>
        This run is already in the dataset.{' '}
        <Link
          to="/o/$tenant/datasets/$datasetId/e/$exampleId"
          params={{ tenant, datasetId, exampleId: example.id }}
          target="_blank"
          className="text-accent underline"
        >
          Open its example
        </Link>{' '}
        in a new tab, or add another one.
      </span>
    </p>
  )
}

function JsonField(props: { label: string; value: string; onChange: (text: string) => void }) {
  return (
    <Field label={props.label}>
      <textarea
        value={props.value}
        spellCheck={false}
        onChange={(event) => props.onChange(event.target.value)}
        className={`${TEXT_AREA} h-56 font-mono text-row`}
      />
    </Field>
  )
}

function printExample(mapped: MappedExample | undefined): ExampleDraft {
  const print = (value: unknown) => (value == null ? '' : JSON.stringify(value, null, 2))
  return { inputs: print(mapped?.inputs), outputs: print(mapped?.outputs) }
}

interface MappingChoiceProps {
  payload: RunPayload
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

const KINDS = [
  { value: 'whole', label: 'All keys', hint: 'Inputs and outputs as recorded' },
  { value: 'keys', label: 'Selected keys', hint: 'Only selected keys of inputs and outputs' },
  { value: 'messages', label: 'Messages', hint: 'The conversation as messages with role and content' },
] as const

/** Selects the parts of a run to copy into the example. */
function MappingChoice({ payload, mapping, onChange }: MappingChoiceProps) {
  const [inputs, outputs] = [getTopLevelKeys(payload.inputs), getTopLevelKeys(payload.outputs)]
  const pick = (kind: Mapping['kind']) => onChange(kind === 'keys' ? { kind, inputs, outputs } : { kind })
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Segmented label="Include" value={mapping.kind} onChange={pick} options={KINDS} />
      </div>
      {mapping.kind === 'keys' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <KeyList
            label="Input keys"
            keys={inputs}
            chosen={mapping.inputs}
            onChange={(chosen) => onChange({ ...mapping, inputs: chosen })}
          />
          <KeyList
            label="Output keys"
            keys={outputs}
            chosen={mapping.outputs}
            onChange={(chosen) => onChange({ ...mapping, outputs: chosen })}
          />
        </div>
      )}
    </div>
  )
}
