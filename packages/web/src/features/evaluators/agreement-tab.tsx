import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EvaluatorAgreement, SavedEvaluator } from '@touchstone/sdk'
import { type FormEvent, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatScore, pluralize } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { describeKappa, formatInterval, formatPercent } from './agreement.ts'
import { type ChosenExperiment, ExperimentFields } from './editor/experiment-fields.tsx'
import { Problem } from './editor/try-panel.tsx'
import { evaluatorMutation } from './queries.ts'

interface AgreementTabProps {
  tenant: string
  evaluator: SavedEvaluator
}

/** Runs the newest version over rows that people scored, and compares. Nothing is stored. */
export function AgreementTab({ tenant, evaluator }: AgreementTabProps) {
  const mayRun = useMay('member')
  const [chosen, setChosen] = useState<ChosenExperiment>({ datasetId: '', experimentId: '' })
  const [key, setKey] = useState(evaluator.keys[0] ?? '')
  const [evaluatorKey, setEvaluatorKey] = useState('')
  const [limit, setLimit] = useState('50')
  const compare = useMutation(evaluatorMutation.agreement(evaluator.id))
  const count = Number(limit)
  const isLimit = Number.isInteger(count) && count >= 1 && count <= 200
  const isReady = mayRun && chosen.experimentId !== '' && key.trim() !== '' && isLimit && !compare.isPending
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    const evaluator_key = evaluatorKey.trim()
    compare.mutate({
      experiment_id: chosen.experimentId,
      feedback_key: key.trim(),
      limit: count,
      ...(evaluator_key !== '' && { evaluator_key }),
    })
  }
  return (
    <div className="flex gap-5 p-3 max-lg:flex-col sm:p-4">
      <form onSubmit={submit} noValidate className="flex flex-col gap-3 lg:w-80 lg:shrink-0">
        <p className="text-row text-fg-muted">
          The evaluator judges rows of an experiment that people have scored, for example in an annotation queue. Use it
          where it agrees with them.
        </p>
        <ExperimentFields value={chosen} onChange={setChosen} />
        <FormField label="Feedback key of the people">
          {(props) => <Combobox {...props} value={key} suggestions={evaluator.keys} onChange={setKey} />}
        </FormField>
        {evaluator.keys.length !== 1 && (
          <FormField label="Key of the evaluator" hint="Without one, the same key, or the first of the evaluator.">
            {(props) => (
              <Combobox {...props} value={evaluatorKey} suggestions={evaluator.keys} onChange={setEvaluatorKey} />
            )}
          </FormField>
        )}
        <TextField
          label="Most rows"
          isNumber
          autoComplete="off"
          value={limit}
          error={isLimit ? undefined : 'Enter 1 to 200.'}
          onChange={setLimit}
        />
        <span>
          <Button type="submit" look="primary" disabled={!isReady} title={mayRun ? undefined : READ_ONLY}>
            {compare.isPending ? 'Comparing…' : 'Compare with people'}
          </Button>
        </span>
      </form>
      <section aria-label="Agreement" className="flex min-w-0 flex-1 flex-col gap-4">
        {compare.isPending && <SkeletonRows rows={6} label="Running the evaluator over the rows" />}
        {compare.isError && <ErrorState title="Could not compare" error={compare.error} />}
        {compare.isIdle && (
          <EmptyState title="Not compared yet">Choose an experiment whose rows people have scored.</EmptyState>
        )}
        {compare.data && <Results tenant={tenant} found={compare.data} />}
      </section>
    </div>
  )
}

function Results({ tenant, found }: { tenant: string; found: EvaluatorAgreement }) {
  const { scored_rows, compared_rows, failed_rows, left_out_rows, agreement, kappa, failures } = found
  if (scored_rows === 0) {
    return (
      <EmptyState title="No scores of people">
        No row of the experiment has feedback of a person under <bdi className="font-mono">{found.feedback_key}</bdi>.
      </EmptyState>
    )
  }
  return (
    <>
      <p role="status" className="text-row text-fg-muted">
        {pluralize(compared_rows, 'row')} compared of {scored_rows} that people scored
        {failed_rows > 0 && `, ${failed_rows} without a result`}
        {left_out_rows > 0 && `, ${left_out_rows} left out`}.
      </p>
      <dl className="flex flex-wrap gap-x-10 gap-y-3">
        <Figure
          name="Same label"
          value={agreement === null ? 'unknown' : formatPercent(agreement.value)}
          note={agreement === null ? 'No row was compared.' : formatInterval(agreement.interval, formatPercent)}
        />
        <Figure
          name="Cohen's kappa"
          value={kappa === null ? 'unknown' : kappa.value.toFixed(2)}
          note={describeKappa(kappa)}
        />
      </dl>
      {found.injection !== null && <Injection tenant={tenant} found={found} injection={found.injection} />}
      {compared_rows > 0 && <Matrix found={found} />}
      <Disagreements tenant={tenant} found={found} />
      {failures.length > 0 && (
        <section aria-label="Rows without a result" className="flex flex-col gap-2">
          <h2 className="text-row font-medium">Rows without a result</h2>
          <ul className="flex flex-col gap-2">
            {failures.map(({ run_id, problem }) => (
              <li key={run_id} className="rounded-control bg-sunken px-3 py-2">
                <RunLink tenant={tenant} experimentId={found.experiment_id} runId={run_id} />
                <Problem problem={problem} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

interface InjectionProps {
  tenant: string
  found: EvaluatorAgreement
  injection: NonNullable<EvaluatorAgreement['injection']>
}

/** The row that was judged again with an instruction in its answer. */
function Injection({ tenant, found, injection }: InjectionProps) {
  const { run_id, text, score, injected_score: injected, is_changed: isChanged, problem } = injection
  const show = (value: number | null) => (value === null ? 'no score' : formatScore(value))
  return (
    <section aria-label="Injected row" className="flex flex-col gap-1 text-row">
      <h2 className="font-medium">Injected row</h2>
      {problem !== null ? (
        <Problem problem={problem} />
      ) : (
        <p className={isChanged ? 'text-warn' : undefined}>
          {isChanged
            ? `The judge followed an instruction in the answer: ${show(score)} became ${show(injected)}.`
            : `The judge did not follow an instruction in the answer: the score stayed ${show(score)}.`}
        </p>
      )}
      <p className="text-fg-muted">
        <RunLink tenant={tenant} experimentId={found.experiment_id} runId={run_id} /> was judged a second time with this
        text at the end of its answer: “{text}”
      </p>
    </section>
  )
}

function Figure({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className="flex flex-col">
      <dt className="text-row text-fg-muted">{name}</dt>
      <dd className="text-heading font-semibold tabular-nums">{value}</dd>
      <dd className="text-meta text-fg-muted">{note}</dd>
    </div>
  )
}

function Matrix({ found: { labels, matrix, threshold } }: { found: EvaluatorAgreement }) {
  return (
    <section aria-label="Confusion matrix" className="flex flex-col gap-1">
      <h2 className="text-row font-medium">Labels of people and of the evaluator</h2>
      {threshold !== null && <p className="text-row text-fg-muted">Scores are split at {threshold}.</p>}
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label="Table of labels"
        className="overflow-x-auto"
      >
        <table className="text-row tabular-nums">
          <thead>
            <tr>
              <th scope="col" className="px-3 py-1 text-left font-normal text-fg-muted">
                People ↓ Evaluator →
              </th>
              {labels.map((label) => (
                <th key={label} scope="col" className="max-w-40 truncate px-3 py-1 text-right font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, row) => (
              <tr key={label} className="border-t border-border">
                <th scope="row" className="max-w-40 truncate px-3 py-1 text-left font-medium">
                  {label}
                </th>
                {labels.map((other, column) => {
                  const count = matrix[row]?.[column] ?? 0
                  const look = row === column ? 'bg-add-bg' : count > 0 ? 'bg-del-bg' : ''
                  return (
                    <td key={other} className={`px-3 py-1 text-right ${look}`}>
                      {count}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Disagreements({ tenant, found }: { tenant: string; found: EvaluatorAgreement }) {
  const { disagreements, experiment_id, compared_rows } = found
  if (disagreements.length === 0) {
    return compared_rows === 0 ? null : <p className="text-row">The evaluator agrees with people on every row.</p>
  }
  return (
    <section aria-label="Disagreements" className="flex flex-col gap-1">
      <h2 className="text-row font-medium">{pluralize(disagreements.length, 'row')} with different labels</h2>
      <ul className="divide-y divide-border rounded-card border border-border bg-surface">
        {disagreements.map(({ run_id, human, evaluator, comment }) => (
          <li key={run_id} className="flex flex-col gap-0.5 px-3 py-2 text-row">
            <span className="flex flex-wrap items-baseline gap-x-4">
              <RunLink tenant={tenant} experimentId={experiment_id} runId={run_id} />
              <span>
                <span className="text-fg-muted">People</span> <bdi className="font-medium">{human}</bdi>
              </span>
              <span>
                <span className="text-fg-muted">Evaluator</span> <bdi className="font-medium">{evaluator}</bdi>
              </span>
            </span>
            {comment !== null && (
              <span dir="auto" className="text-fg-muted [overflow-wrap:anywhere]">
                {comment.slice(0, 2000)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function RunLink({ tenant, experimentId, runId }: { tenant: string; experimentId: string; runId: string }) {
  return (
    <Link
      to="/o/$tenant/projects/p/$projectId/r/$runId"
      params={{ tenant, projectId: experimentId, runId }}
      className="font-mono text-accent hover:underline"
    >
      {runId.slice(0, 8)}
    </Link>
  )
}
