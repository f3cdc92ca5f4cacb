import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { addExample } from '#data/datasets.ts'
import { formatBytes } from '#lib/format/format.ts'
import { createPreference, isText } from '#lib/preferences/preference.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Field, TEXT_AREA } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { toast } from '#ui/toast.tsx'
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
  cargo: RunPayload | undefined
  /** Size of the whole run, shown if it is too large to edit. */
  bytes: number
  onClose: () => void
}

/** Creates an example from a run: select the dataset and the parts of the run, and edit the result before saving. */
export function AddToDatasetDialog({ run, cargo, bytes, onClose }: AddToDatasetDialogProps) {
  const queryClient = useQueryClient()
  const [target, setTarget] = useState<DatasetTarget>(() => ({ dataset: lastDataset.read(), split: 'base' }))
  const [mapping, setMapping] = useState<Mapping>({ kind: 'whole' })
  const mapped = useMemo(() => cargo && mapRun(cargo, mapping), [cargo, mapping])
  const [draft, setDraft] = useState<ExampleDraft>()
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const dataset = target.dataset.trim()
  const shown = draft ?? printExample(mapped)
  const read = parseExampleDraft(shown)

  function change(next: Mapping) {
    setMapping(next)
    setDraft(undefined)
  }
  async function add(event: FormEvent) {
    event.preventDefault()
    if (dataset === '' || (cargo && 'problem' in read)) return
    setState({ busy: true })
    const isUntouched = cargo === undefined || (mapping.kind === 'whole' && draft === undefined)
    try {
      await addExample(queryClient, {
        dataset,
        split: target.split.trim() || 'base',
        sourceRunId: run.id,
        // The server copies unedited runs itself: that keeps numbers beyond double precision, and attachments.
        content: isUntouched || 'problem' in read ? undefined : read,
      })
      lastDataset.write(dataset)
      toast.done(`Added to ${dataset}`)
      onClose()
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add to dataset"
      width="max-w-2xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form="add-to-dataset"
            disabled={state.busy || dataset === '' || (cargo !== undefined && 'problem' in read)}
          >
            Add example
          </Button>
        </>
      }
    >
      <form id="add-to-dataset" onSubmit={add} className="flex flex-col gap-3">
        {state.error !== undefined && <ErrorState compact title="Could not add the example" error={state.error} />}
        <DatasetFields value={target} onChange={setTarget} />
        {cargo === undefined ? (
          <p className="text-base text-fg-muted">
            This run is too large to edit here ({formatBytes(bytes)}). Its inputs, outputs and attachments are copied
            unchanged.
          </p>
        ) : (
          <>
            <MappingChoice cargo={cargo} mapping={mapping} onChange={change} />
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
            {mapped !== undefined && 'problem' in read && (
              <p role="alert" className="break-words text-row text-err">
                {read.problem}
              </p>
            )}
          </>
        )}
        <p className="text-meta text-fg-muted">The example links back to the run {run.name}.</p>
      </form>
    </Dialog>
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
  cargo: RunPayload
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

const KINDS = [
  { value: 'whole', label: 'Whole', hint: 'Inputs and outputs as recorded' },
  { value: 'keys', label: 'Selected keys', hint: 'Only selected keys of inputs and outputs' },
  { value: 'messages', label: 'Messages', hint: 'The conversation as messages with role and content' },
] as const

/** Selects the parts of a run to copy into the example. */
function MappingChoice({ cargo, mapping, onChange }: MappingChoiceProps) {
  const [inputs, outputs] = [getTopLevelKeys(cargo.inputs), getTopLevelKeys(cargo.outputs)]
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
