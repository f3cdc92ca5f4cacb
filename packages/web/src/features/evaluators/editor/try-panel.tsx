import { useMutation, useQuery } from '@tanstack/react-query'
import type { JsonProblem } from '@touchstone/formats/locate-json'
import type { EvaluatorPreviewAnswer, EvaluatorProblem, EvaluatorScore } from '@touchstone/sdk'
import { useEffect, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatLatency, formatScore } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { FormField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { DraftResult, EvaluatorDraft } from '../draft.ts'
import { type EvaluatorRow, evaluatorMutation, evaluatorQuery } from '../queries.ts'
import { type ChosenExperiment, ExperimentFields } from './experiment-fields.tsx'

interface TryPanelProps {
  tenant: string
  draft: EvaluatorDraft
  result: DraftResult
  row: EvaluatorRow | undefined
  onRow: (row: EvaluatorRow | undefined) => void
  onSourceProblems: (problems: readonly JsonProblem[]) => void
}

/** Rows of an experiment: the values of one, and what the definition makes of it. Nothing is stored. */
export function TryPanel({ draft, result, row, onRow, onSourceProblems }: TryPanelProps) {
  const mayTry = useMay('member')
  const [chosen, setChosen] = useState<ChosenExperiment>({ datasetId: '', experimentId: '' })
  const [runId, setRunId] = useState('')
  const rows = useQuery({ ...evaluatorQuery.rows(chosen.experimentId), enabled: chosen.experimentId !== '' })
  const run = rows.data?.find(({ id }) => id === runId) ?? rows.data?.[0]
  const loaded = useQuery({ ...evaluatorQuery.row(run ?? { id: '', name: '' }), enabled: run !== undefined })
  const shown = run === undefined ? undefined : loaded.data
  useEffect(() => onRow(shown), [onRow, shown])
  const preview = useMutation(evaluatorMutation.preview())
  const isReady = 'definition' in result && row !== undefined
  function tryRow() {
    if (!isReady) return
    const source = draft.kind === 'javascript' ? draft.source : undefined
    preview.mutate(
      { definition: result.definition, rows: [{ run_id: row.runId }] },
      { onSuccess: ({ rows: [first] }) => onSourceProblems(locate(source, first?.problem ?? null)) },
    )
  }
  return (
    <section aria-label="Try it" className="flex min-w-0 flex-col gap-3 lg:w-[26rem] lg:shrink-0">
      <h2 className="text-row font-medium">Try it on a row</h2>
      <ExperimentFields
        value={chosen}
        onChange={(next) => {
          setChosen(next)
          setRunId('')
          preview.reset()
        }}
      />
      {rows.isError && <ErrorState compact title="Could not load the rows" error={rows.error} />}
      {rows.data?.length === 0 && <p className="text-row text-fg-muted">The experiment has no rows yet.</p>}
      {run !== undefined && (
        <FormField label="Row">
          {(props) => (
            <Select
              {...props}
              value={run.id}
              onChange={(id) => {
                setRunId(id)
                preview.reset()
              }}
              options={(rows.data ?? []).map(({ id, inputs }, at) => ({
                value: id,
                label: `${at + 1}: ${(JSON.stringify(inputs) ?? '').slice(0, 80)}`,
              }))}
            />
          )}
        </FormField>
      )}
      {loaded.isError && run !== undefined && (
        <ErrorState compact title="Could not load the row" error={loaded.error} onRetry={() => void loaded.refetch()} />
      )}
      {row !== undefined && <RowValues row={row} />}
      <span className="flex flex-wrap items-center gap-2">
        <Button
          disabled={!mayTry || !isReady || preview.isPending}
          title={mayTry ? undefined : READ_ONLY}
          onClick={tryRow}
        >
          {preview.isPending ? 'Running…' : 'Run on this row'}
        </Button>
        <span className="text-row text-fg-muted">
          {row === undefined
            ? 'Choose an experiment first.'
            : 'definition' in result
              ? 'Nothing is stored.'
              : Object.values(result.problems)[0]}
        </span>
      </span>
      {preview.isPending && <SkeletonRows rows={2} label="Running the evaluator" />}
      {preview.isError && <ErrorState compact title="Could not run the evaluator" error={preview.error} />}
      {preview.data && <Result answer={preview.data} />}
    </section>
  )
}

function locate(source: string | undefined, problem: EvaluatorProblem | null): readonly JsonProblem[] {
  if (source === undefined || problem === null || problem.line === null) return []
  const lines = source.split('\n')
  const from = lines.slice(0, problem.line - 1).reduce((sum, line) => sum + line.length + 1, 0)
  if (from > source.length) return []
  return [
    { from, to: Math.min(source.length, from + (lines[problem.line - 1]?.length ?? 0)), message: problem.message },
  ]
}

function RowValues({ row }: { row: EvaluatorRow }) {
  return (
    <div className="flex flex-col gap-1">
      {Object.entries(row.values).map(([name, value]) => (
        <Disclosure key={name} summary={<code className="font-mono">{name}</code>}>
          <Text label={name} text={JSON.stringify(value, null, 2) ?? 'null'} />
        </Disclosure>
      ))}
    </div>
  )
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={label}
      dir="auto"
      className="max-h-60 overflow-auto whitespace-pre-wrap rounded-control bg-sunken px-2 py-1 font-mono text-row [overflow-wrap:anywhere]"
    >
      {text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text}
    </pre>
  )
}

function Result({ answer }: { answer: EvaluatorPreviewAnswer }) {
  const [first] = answer.rows
  if (first === undefined) return null
  const { scores, problem, messages, reply, latency_ms, suspected_instructions: suspected } = first
  return (
    <div role="status" aria-label="Result" className="flex flex-col gap-2 rounded-card border border-border p-3">
      {problem !== null && <Problem problem={problem} />}
      {scores.length > 0 && <Scores scores={scores} />}
      {problem === null && scores.length === 0 && <p className="text-row text-fg-muted">It gave no score.</p>}
      {suspected !== null && (
        <p role="note" className="text-row text-warn [overflow-wrap:anywhere]">
          The judged text may contain instructions for the judge: “<bdi>{suspected}</bdi>”. Its scores are marked.
        </p>
      )}
      <p className="text-meta text-fg-muted">{formatLatency(latency_ms)}</p>
      {messages?.map(({ role, content }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and never move
        <Disclosure key={at} summary={`Message ${at + 1} as it was sent (${role})`}>
          <Text label={`Message ${at + 1}`} text={typeof content === 'string' ? content : JSON.stringify(content)} />
        </Disclosure>
      ))}
      {reply !== null && (
        <Disclosure summary="Answer of the model">
          <Text label="Answer of the model" text={reply} />
        </Disclosure>
      )}
    </div>
  )
}

function Scores({ scores }: { scores: readonly EvaluatorScore[] }) {
  return (
    <dl className="flex flex-col gap-1 text-row">
      {scores.map(({ key, score, value, comment }) => (
        <div key={key} className="flex flex-wrap items-baseline gap-x-2">
          <dt className="min-w-0 truncate font-mono text-fg-muted">{key}</dt>
          <dd className="font-medium">
            {score === null ? 'no score' : formatScore(score)}
            {value != null && (
              <span className="text-fg-muted"> {typeof value === 'string' ? value : JSON.stringify(value)}</span>
            )}
          </dd>
          {comment !== null && (
            <dd dir="auto" className="basis-full text-fg-muted [overflow-wrap:anywhere]">
              {comment.slice(0, 5000)}
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

/** A failure with the words of the provider. */
export function Problem({ problem: { message, model_problem: failure, line } }: { problem: EvaluatorProblem }) {
  return (
    <div role="alert" className="flex flex-col gap-1 text-row text-err">
      <p className="[overflow-wrap:anywhere]">
        {line !== null && `Line ${line}: `}
        {message}
      </p>
      {failure !== null && failure.message !== message && <p className="[overflow-wrap:anywhere]">{failure.message}</p>}
      {failure?.provider_message && (
        <p dir="auto" className="text-fg-muted [overflow-wrap:anywhere]">
          The provider: {failure.provider_message}
        </p>
      )}
    </div>
  )
}
