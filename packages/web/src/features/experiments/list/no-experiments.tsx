import { Link } from '@tanstack/react-router'
import { EnvironmentStep, LinkNote, useSnippetKey } from '#features/onboarding/environment-step.tsx'
import { evaluateEnvironment, evaluateInPython, evaluateInTypeScript, isLocalOrigin } from '#lib/snippets.ts'
import { SnippetTabs } from '#ui/snippet.tsx'

interface NoExperimentsProps {
  tenant: string
  datasetId: string
  datasetName: string
  hasExamples: boolean
}

/** How to run the first experiment over a dataset, with programs that work as pasted. The list takes its place by itself. */
export function NoExperiments({ tenant, datasetId, datasetName, hasExamples }: NoExperimentsProps) {
  const apiKey = useSnippetKey(undefined)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-8">
        <header>
          <h2 className="text-title">Run your first experiment</h2>
          <p className="text-form text-fg-muted">
            An experiment runs your application over the examples of {datasetName} and scores what it returns.
          </p>
        </header>
        {hasExamples ? (
          <div role="status" className="flex items-center gap-3 rounded-card border border-border bg-surface p-3">
            <span aria-hidden className="size-2.5 animate-pulse rounded-full bg-run" />
            <p className="min-w-0 flex-1 text-form text-fg-muted">
              Waiting for the first experiment. It appears here automatically.
            </p>
          </div>
        ) : (
          <p className="rounded-card border border-border bg-surface p-3 text-form">
            This dataset has no examples yet.{' '}
            <Link to="/o/$tenant/datasets/$datasetId" params={{ tenant, datasetId }} className="text-accent underline">
              Add examples first
            </Link>
            .
          </p>
        )}
        <EnvironmentStep
          tenant={tenant}
          snippets={evaluateEnvironment({ origin: location.origin, apiKey: apiKey.text })}
          apiKey={apiKey}
          keyDescription={`Experiments on ${datasetName}`}
        />
        <section className="flex flex-col gap-2">
          <h3 className="text-base">2. Program</h3>
          <SnippetTabs
            snippets={[
              { label: 'Python', text: evaluateInPython(datasetName) },
              { label: 'TypeScript', text: evaluateInTypeScript(datasetName) },
            ]}
          />
        </section>
        {isLocalOrigin(location.origin) && <LinkNote />}
      </div>
    </div>
  )
}
