import { useMutation, useQuery } from '@tanstack/react-query'
import { readValuePath } from '@touchstone/formats/templates'
import type { PlaygroundEstimate, PlaygroundJobWrite, PlaygroundLimits } from '@touchstone/sdk'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { exampleQuery } from '#features/datasets/examples/queries.ts'
import { printJson } from '#features/prompts/print-json.ts'
import { formatCost, formatCount, formatTokens, pluralize } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { LimitFields } from '../jobs/limit-fields.tsx'
import type { PlaygroundState } from '../logic/controller.ts'
import { NO_LIMITS, readLimits } from '../logic/limits.ts'
import { listPaths, type RowFields, suggestPath } from '../logic/row-values.ts'
import { listVariableRows, toValues, type VariableRow } from '../logic/variables.ts'
import { readVariant } from '../logic/variant.ts'
import { jobMutation, jobQuery, toWireVariant } from '../queries.ts'
import { DatasetPicker } from './dataset-picker.tsx'

interface DatasetDialogProps {
  state: PlaygroundState
  /** Beginning of the names of the experiments. */
  name: string
  /** The dataset that is selected at first. */
  datasetId?: string | undefined
  onStarted: (jobId: string) => void
  onClose: () => void
}

/** Calls every variant for every row of a dataset, after showing what that needs. */
export function DatasetDialog({ state, name: draftName, datasetId: initial, onStarted, onClose }: DatasetDialogProps) {
  const [datasetId, setDatasetId] = useState(initial ?? '')
  const [asOf, setAsOf] = useState('')
  const [splits, setSplits] = useState<readonly string[]>([])
  const [name, setName] = useState(draftName)
  const [paths, setPaths] = useState<Readonly<Record<string, string>>>({})
  const [limitTexts, setLimitTexts] = useState(NO_LIMITS)
  const [evaluators, setEvaluators] = useState<readonly string[]>([])
  const rows = useMemo(
    () => listVariableRows(state.variants, state.values).filter((row) => row.usedBy.length > 0),
    [state],
  )
  const version = asOf === '' ? undefined : asOf
  const [at, setAt] = useState(0)
  const first = useQuery({ ...jobQuery.row(datasetId, version, splits, 0), enabled: datasetId !== '' })
  const shown = useQuery({ ...jobQuery.row(datasetId, version, splits, at), enabled: datasetId !== '' })
  const row = first.data
  const preview = shown.data ?? row
  const { limits, problems: limitProblems } = readLimits(limitTexts)
  const mapping = Object.fromEntries(
    rows.flatMap((variable) => {
      const path = paths[variable.name] ?? suggestPath(variable, row?.inputs)
      return path === '' ? [] : [[variable.name, path]]
    }),
  )
  const job = toJob(state, rows, { datasetId, name, mapping, limits })
  const request = job && {
    ...job,
    ...(version !== undefined && { as_of: version }),
    ...(splits.length > 0 && { splits: [...splits] }),
    evaluators: evaluators.map((id) => ({ evaluator_id: id })),
  }
  const estimate = useQuery({
    ...jobQuery.estimate(request ?? EMPTY_JOB),
    enabled: request !== undefined && datasetId !== '' && row != null,
    placeholderData: (before) => before,
  })
  // Until the estimate of this request arrives, the data is that of the request before.
  const isEstimated = estimate.data !== undefined && !estimate.isPlaceholderData
  const start = useMutation(jobMutation.create())
  function submit() {
    if (request === undefined) return
    start.mutate(request, {
      onSuccess: ({ id }) => {
        onStarted(id)
        onClose()
      },
    })
  }
  return (
    <FormDialog
      title="Run over a dataset"
      description="Each variant becomes an experiment. The calls are made on the server, also when this page is closed."
      width="max-w-2xl"
      action={isEstimated ? `Run ${pluralize(estimate.data.calls, 'call')}` : 'Run'}
      errorTitle="Could not start"
      canSubmit={
        request !== undefined &&
        row != null &&
        name.trim() !== '' &&
        isEstimated &&
        Object.keys(limitProblems).length === 0
      }
      isPending={start.isPending}
      error={start.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {request === undefined && (
        <p role="alert" className="text-row text-err">
          A variant cannot be sent yet. Close this dialog and complete what is marked.
        </p>
      )}
      <DatasetFields
        datasetId={datasetId}
        asOf={asOf}
        splits={splits}
        onDataset={(id) => {
          setDatasetId(id)
          setAsOf('')
          setSplits([])
          setAt(0)
        }}
        onVersion={(next) => {
          setAsOf(next)
          setAt(0)
        }}
        onSplits={(next) => {
          setSplits(next)
          setAt(0)
        }}
      />
      {first.error !== null && (
        <ErrorState compact title="Could not load the row" error={first.error} onRetry={() => void first.refetch()} />
      )}
      {row === null && <p className="text-row text-warn">The dataset has no examples.</p>}
      {row && rows.length > 0 && (
        <Mapping
          rows={rows}
          mapping={mapping}
          values={{ inputs: preview?.inputs, outputs: preview?.outputs, metadata: preview?.metadata }}
          estimate={estimate.data}
          step={<RowStep at={at} count={estimate.data?.rows} onChange={setAt} />}
          onChange={(variable, path) => setPaths({ ...paths, [variable]: path })}
        />
      )}
      <TextField label="Name of the experiments" value={name} maxLength={150} autoComplete="off" onChange={setName} />
      <LimitFields texts={limitTexts} problems={limitProblems} onChange={setLimitTexts} />
      <Evaluators chosen={evaluators} onChange={setEvaluators} />
      {estimate.error !== null && <ErrorState compact title="Could not estimate" error={estimate.error} />}
      {datasetId !== '' && row != null && !isEstimated && estimate.error === null && (
        <SkeletonRows rows={2} label="Estimating" />
      )}
      {isEstimated && <Estimate estimate={estimate.data} />}
    </FormDialog>
  )
}

const EMPTY_JOB: PlaygroundJobWrite = { dataset_id: '', variants: [], name: '' }

interface JobFields {
  readonly datasetId: string
  readonly name: string
  readonly mapping: Record<string, string>
  readonly limits: PlaygroundLimits
}

/** The request; undefined while a variant cannot be sent. */
function toJob(
  { variants, repeats }: PlaygroundState,
  rows: readonly VariableRow[],
  { datasetId, name, mapping, limits }: JobFields,
): PlaygroundJobWrite | undefined {
  const read = variants.map((variant) => ({ variant, read: readVariant(variant) }))
  const sent = read.flatMap(({ variant, read: one }) =>
    'sent' in one ? [toWireVariant({ ...variant, ...one.sent, prompt: variant.prompt })] : [],
  )
  if (sent.length < variants.length) return undefined
  return {
    dataset_id: datasetId,
    name: name.trim() || 'playground',
    variants: sent,
    mapping,
    variables: toValues(rows.filter((row) => mapping[row.name] === undefined)),
    repeats,
    limits,
  }
}

interface DatasetFieldsProps {
  datasetId: string
  asOf: string
  splits: readonly string[]
  onDataset: (id: string) => void
  onVersion: (asOf: string) => void
  onSplits: (splits: readonly string[]) => void
}

function DatasetFields({ datasetId, asOf, splits, onDataset, onVersion, onSplits }: DatasetFieldsProps) {
  const splitNames = useQuery({ ...exampleQuery.splits(datasetId, asOf || undefined), enabled: datasetId !== '' })
  const known = splitNames.data ?? []
  return (
    <>
      <DatasetPicker datasetId={datasetId} asOf={asOf} onDataset={onDataset} onVersion={onVersion} />
      {splitNames.error !== null && (
        <ErrorState
          compact
          title="Could not load the splits"
          error={splitNames.error}
          onRetry={() => void splitNames.refetch()}
        />
      )}
      {known.length > 1 && (
        <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1 text-row">
          <legend className="text-fg-muted">Splits (all if none is chosen)</legend>
          {known.map((split) => (
            <label key={split} className="flex items-center gap-1.5">
              <input
                type="checkbox"
                checked={splits.includes(split)}
                onChange={(event) =>
                  onSplits(event.target.checked ? [...splits, split] : splits.filter((one) => one !== split))
                }
              />
              {split}
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}

interface MappingProps {
  rows: readonly VariableRow[]
  mapping: Readonly<Record<string, string>>
  /** The row whose values are shown. */
  values: RowFields
  estimate: PlaygroundEstimate | undefined
  /** Chooses the row whose values are shown. */
  step: ReactNode
  onChange: (variable: string, path: string) => void
}

/** Where each variable comes from, with its value in a row, or why there is none. */
function Mapping({ rows, mapping, values, estimate, step, onChange }: MappingProps) {
  const suggestions = listPaths(values)
  return (
    <section aria-label="Variables of the rows" className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h3 className="text-row font-medium">Variables</h3>
        {step}
      </div>
      {rows.map(({ name, text }) => {
        const path = mapping[name] ?? ''
        const found = path === '' ? undefined : readValuePath({ ...values }, path)
        const missing = estimate?.missing.find(({ variable }) => variable === name)
        const preview = found === undefined ? text : 'value' in found ? toPreview(found.value) : undefined
        return (
          <div
            key={name}
            className="grid gap-x-2 gap-y-0.5 text-row sm:grid-cols-[8rem_14rem_minmax(0,1fr)] sm:items-center"
          >
            <span className="truncate font-mono" title={name}>
              {name}
            </span>
            <Combobox
              aria-label={`Source of ${name}`}
              value={path}
              placeholder="The value of the page"
              suggestions={suggestions}
              onChange={(next) => onChange(name, next)}
              className="font-mono"
            />
            {preview === undefined || missing ? (
              <span className="text-warn [overflow-wrap:anywhere]">
                {found && 'problem' in found ? found.problem : missing?.reason}
                {missing && missing.rows > 1 && ` (${pluralize(missing.rows, 'row')})`}
              </span>
            ) : (
              <span className="truncate text-fg-muted" title={preview}>
                {path === '' ? `Always: ${preview}` : preview}
              </span>
            )}
          </div>
        )
      })}
    </section>
  )
}

interface RowStepProps {
  /** Position of the row, from 0. */
  at: number
  /** Number of rows; undefined until it is known. */
  count: number | undefined
  onChange: (at: number) => void
}

/** Goes through the rows. */
function RowStep({ at, count, onChange }: RowStepProps) {
  if (count === undefined || count < 2) return null
  return (
    <span className="ml-auto flex items-center gap-1 text-meta text-fg-muted">
      <IconButton icon={ChevronLeft} label="Previous row" disabled={at === 0} onClick={() => onChange(at - 1)} />
      <span role="status" className="tabular-nums">
        Row {formatCount(at + 1)} of {formatCount(count)}
      </span>
      <IconButton icon={ChevronRight} label="Next row" disabled={at + 1 >= count} onClick={() => onChange(at + 1)} />
    </span>
  )
}

const toPreview = (value: unknown) => (typeof value === 'string' ? value : printJson(value)).slice(0, 300)

interface EvaluatorsProps {
  chosen: readonly string[]
  onChange: (ids: readonly string[]) => void
}

function Evaluators({ chosen, onChange }: EvaluatorsProps) {
  const { data: evaluators = [], error, refetch } = useQuery(jobQuery.evaluators())
  if (error !== null && evaluators.length === 0) {
    return <ErrorState compact title="Could not load the evaluators" error={error} onRetry={() => void refetch()} />
  }
  if (evaluators.length === 0) return null
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1 text-row">
      <legend className="text-fg-muted">Evaluators that score each answer</legend>
      {evaluators.map(({ id, name }) => (
        <label key={id} className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={(event) => onChange(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

function Estimate({ estimate }: { estimate: PlaygroundEstimate }) {
  const { rows, calls, prompt_tokens, completion_tokens, cost, missing, problems, variants } = estimate
  return (
    <section aria-label="Estimate" className="rounded-control bg-sunken px-3 py-2 text-row">
      <p>
        {pluralize(rows, 'row')}, <strong className="font-medium">{formatCount(calls)} calls</strong>, about{' '}
        {formatTokens(prompt_tokens)} tokens of prompts and {formatTokens(completion_tokens)} of answers,{' '}
        {cost === null ? 'unknown price: a model has no price' : `about ${formatCost(String(cost))}`}.
      </p>
      {missing.length > 0 && (
        <p className="text-warn">
          Calls without a value for {missing.map(({ variable }) => variable).join(', ')} fail.
        </p>
      )}
      {problems.map(({ variant, message }) => (
        <p key={`${variant} ${message}`} className="text-warn">
          {variants[variant]?.name}: {message}
        </p>
      ))}
    </section>
  )
}
