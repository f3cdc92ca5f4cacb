import type { Run } from '@touchstone/sdk'
import { curl, environment, isLocalOrigin, PYTHON, TYPESCRIPT } from '#lib/snippets.ts'
import { SnippetTabs } from '#ui/snippet.tsx'
import { EnvironmentStep, LinkNote, useSnippetKey } from './environment-step.tsx'
import { FirstTraceStatus } from './first-trace-status.tsx'

export interface OnboardingProps {
  tenant: string
  /** Name used in the snippets. */
  projectName: string
  /** The first trace, once it has arrived. */
  firstRun: Run | undefined
  /** Opens the list of runs. */
  onSeeAll?: () => void
}

/** Instructions for sending the first trace, with snippets that work as pasted. */
export function Onboarding({ tenant, projectName, firstRun, onSeeAll }: OnboardingProps) {
  const apiKey = useSnippetKey(projectName)
  const facts = { origin: location.origin, project: projectName, apiKey: apiKey.text }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-8">
        <header>
          <h2 className="text-title">Send your first trace</h2>
          <p className="text-form text-fg-muted">
            Point any LangSmith-compatible client here with four environment variables, then run your program.
          </p>
        </header>
        <FirstTraceStatus tenant={tenant} run={firstRun} onSeeAll={onSeeAll} />
        <EnvironmentStep
          tenant={tenant}
          snippets={environment(facts)}
          apiKey={apiKey}
          keyDescription={`Onboarding for ${projectName}`}
        />
        <section className="flex flex-col gap-2">
          <h3 className="text-base">2. Program</h3>
          <SnippetTabs
            snippets={[
              { label: 'Python', text: PYTHON },
              { label: 'TypeScript', text: TYPESCRIPT },
              { label: 'curl', text: curl(facts) },
            ]}
          />
        </section>
        {isLocalOrigin(location.origin) && <LinkNote />}
      </div>
    </div>
  )
}
