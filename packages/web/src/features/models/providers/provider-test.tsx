import { useMutation } from '@tanstack/react-query'
import type { ModelProviderTest, ModelProviderTestAnswer } from '@touchstone/sdk'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { formatLatency, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { FormField } from '#ui/field.tsx'
import { ErrorState } from '#ui/states.tsx'
import { modelProviderMutation } from './queries.ts'

interface ProviderTestProps {
  /** What is tested with a model; an empty one reads the list of models only. */
  toTest: (model: string) => ModelProviderTest
  /** Suggested beside the models that the provider lists. */
  models: readonly string[]
  /** Why it cannot be tested now. */
  disabledBecause?: string | undefined
}

/** Calls a provider and shows the result, in its own words when it fails. */
export function ProviderTest({ toTest, models, disabledBecause }: ProviderTestProps) {
  const [model, setModel] = useState(models[0] ?? '')
  const test = useMutation(modelProviderMutation.test())
  const suggestions = [...new Set([...models, ...(test.data?.models ?? [])])]
  const run = () => test.mutate(toTest(model))
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <FormField label="Model to call" className="min-w-48 flex-1">
          {(props) => (
            <Combobox
              {...props}
              value={model}
              onChange={setModel}
              suggestions={suggestions}
              placeholder="None: read the list of models only"
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || disabledBecause !== undefined) return
                event.preventDefault()
                run()
              }}
            />
          )}
        </FormField>
        <Button disabled={disabledBecause !== undefined || test.isPending} title={disabledBecause} onClick={run}>
          {test.isPending ? 'Testing…' : 'Test'}
        </Button>
      </div>
      {test.isError && <ErrorState compact title="Could not test the provider" error={test.error} />}
      {test.data && !test.isPending && <Verdict answer={test.data} model={test.variables?.model ?? undefined} />}
    </div>
  )
}

function Verdict({ answer, model }: { answer: ModelProviderTestAnswer; model: string | undefined }) {
  const { works, problem, steps, models } = answer
  const listing = steps.find(({ step }) => step === 'models')
  const call = steps.find(({ step }) => step === 'call')
  const last = steps.at(-1)
  const Icon = works ? CircleCheck : CircleAlert
  return (
    <div role="status" className="flex flex-col gap-1.5 rounded-control border border-border bg-sunken p-3 text-row">
      <p className={`flex items-start gap-2 font-medium ${works ? 'text-ok' : 'text-err'}`}>
        <Icon size={15} aria-hidden className="mt-0.5 shrink-0" />
        <span className="min-w-0 break-words">{works ? 'It works.' : problem?.message}</span>
      </p>
      {problem?.provider_message && (
        <blockquote className="border-l-2 border-border-strong pl-2 [overflow-wrap:anywhere]">
          {problem.provider_message}
        </blockquote>
      )}
      {problem?.offending_parameter && <p>Rejected parameter: {problem.offending_parameter}</p>}
      <ul className="text-fg-muted">
        {listing && (
          <li>
            {listing.problem === null
              ? `${pluralize(models.length, 'model')} listed in ${formatLatency(listing.latency_ms)}.`
              : works && 'It does not list its models. Type their names.'}
          </li>
        )}
        {call?.problem === null && (
          <li className="break-words">
            {model} answered in {formatLatency(call.latency_ms)}.
          </li>
        )}
      </ul>
      {last?.reply && (
        <Disclosure summary={`Raw answer (HTTP ${last.reply.status})`}>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            role="region"
            aria-label="Raw answer"
            className="max-h-40 overflow-auto whitespace-pre-wrap rounded-control bg-surface px-2 py-1 font-mono text-meta [overflow-wrap:anywhere]"
          >
            {last.reply.body}
          </pre>
        </Disclosure>
      )}
    </div>
  )
}
