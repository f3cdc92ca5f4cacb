import type { LabeledSnippet } from '#lib/snippets.ts'
import { ENVIRONMENTS, type EnvironmentKind, QUICKSTARTS, type Quickstart } from './quickstarts.ts'

/** What the snippets of the guide contain where the page has the values of its server. */
export const GUIDE_FACTS = { origin: 'http://localhost:3000', apiKey: 'YOUR_KEY', project: 'my-app' }

const ENVIRONMENT_NAMES: Readonly<Record<EnvironmentKind, string>> = {
  langsmith: 'LangSmith clients',
  opentelemetry: 'OpenTelemetry',
  langfuse: 'Langfuse',
}

/** `docs/guides/first-trace.md`: what the page of a project without runs shows, with the same lines. */
export function printGuide(): string {
  const groups = [...new Set(QUICKSTARTS.map(({ group }) => group))]
  const parts = [
    '# Send the first trace',
    '<!-- Written by scripts/write-reference.mjs; change the code and run it. -->',
    [
      'The page of a project without runs shows these lines with its address, a key and the name of the project filled in, and opens',
      'the trace when it arrives. Each program is complete: set the environment, then run it. A server that is open to programs of its own',
      'machine accepts any key. When nothing arrives: [Where is my trace?](where-is-my-trace.md)',
    ].join('\n'),
    '## Environment',
    ...Object.entries(ENVIRONMENTS).map(([kind, print]) =>
      printEnvironment(kind as EnvironmentKind, print(GUIDE_FACTS)),
    ),
    ...groups.flatMap((group) => QUICKSTARTS.filter((one) => one.group === group).map(printQuickstart)),
  ]
  return `${parts.join('\n\n')}\n`
}

function printEnvironment(kind: EnvironmentKind, [shell]: readonly LabeledSnippet[]): string {
  return `${ENVIRONMENT_NAMES[kind]}:\n\n${fence('sh', shell?.text ?? '')}`
}

function printQuickstart({ name, about, environment, programs }: Quickstart): string {
  const environmentName = environment && `Environment: ${ENVIRONMENT_NAMES[environment]}.`
  const sentences = [environmentName, about].filter(Boolean).join(' ')
  const snippets = programs(GUIDE_FACTS).map(({ label, text }) => fence(FENCES[label] ?? '', text))
  return [`## ${name}`, sentences, ...snippets].filter(Boolean).join('\n\n')
}

const FENCES: Readonly<Record<string, string>> = { Python: 'python', TypeScript: 'ts', Collector: 'yaml', curl: 'sh' }

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``
