import {
  curl,
  environment,
  type LabeledSnippet,
  PYTHON,
  printVariables,
  type SnippetFacts,
  TYPESCRIPT,
} from '#lib/snippets.ts'
import {
  AI_SDK_TYPESCRIPT,
  CREWAI_PYTHON,
  LANGCHAIN_PYTHON,
  LANGCHAIN_TYPESCRIPT,
  LLAMAINDEX_PYTHON,
  OPENINFERENCE_PYTHON,
  OPENLLMETRY_PYTHON,
  OPENTELEMETRY_PYTHON,
  OPENTELEMETRY_TYPESCRIPT,
  PYDANTIC_AI_PYTHON,
  printCollectorConfig,
  printLangfuseProgram,
} from './programs.ts'

/** How a program sends its first trace. The page of a project without runs and the guide show the same. */
export interface Quickstart {
  /** In the URL of the page. */
  readonly id: string
  readonly name: string
  readonly group: string
  /** One sentence, when the lines do not explain themselves. */
  readonly about?: string
  /** What the program reads from its environment; absent when its lines contain everything. */
  readonly environment?: EnvironmentKind
  readonly programs: (facts: SnippetFacts) => readonly LabeledSnippet[]
}

export type EnvironmentKind = keyof typeof ENVIRONMENTS

/** The variables of each kind of program, as a shell, PowerShell and a file set them. */
export const ENVIRONMENTS = {
  langsmith: environment,
  opentelemetry: (facts: SnippetFacts) =>
    printVariables([
      ['OTEL_EXPORTER_OTLP_ENDPOINT', `${facts.origin}/otel`],
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
      ['OTEL_EXPORTER_OTLP_HEADERS', printHeaders(facts)],
    ]),
  langfuse: ({ origin, apiKey }: SnippetFacts) =>
    printVariables([
      ['LANGFUSE_BASE_URL', origin],
      ['LANGFUSE_PUBLIC_KEY', 'any'],
      ['LANGFUSE_SECRET_KEY', apiKey],
    ]),
} as const

const python = (text: string): LabeledSnippet => ({ label: 'Python', text })
const typescript = (text: string): LabeledSnippet => ({ label: 'TypeScript', text })

export const QUICKSTARTS: readonly Quickstart[] = [
  {
    id: 'python',
    name: 'Python',
    group: 'SDK',
    environment: 'langsmith',
    programs: () => [python(PYTHON)],
  },
  {
    id: 'typescript',
    name: 'TypeScript',
    group: 'SDK',
    environment: 'langsmith',
    programs: () => [typescript(TYPESCRIPT)],
  },
  {
    id: 'curl',
    name: 'curl',
    group: 'SDK',
    programs: (facts) => [{ label: 'curl', text: curl(facts) }],
  },
  {
    id: 'opentelemetry',
    name: 'OpenTelemetry',
    group: 'OpenTelemetry',
    about: 'A program that exports spans already needs the variables only. A collector gets the exporter instead.',
    environment: 'opentelemetry',
    programs: (facts) => [
      python(OPENTELEMETRY_PYTHON),
      typescript(OPENTELEMETRY_TYPESCRIPT),
      { label: 'Collector', text: printCollectorConfig(facts.origin, toHeaders(facts)) },
    ],
  },
  {
    id: 'openinference',
    name: 'OpenInference',
    group: 'OpenTelemetry',
    about: 'Here for OpenAI. Its other instrumentations take the same provider.',
    environment: 'opentelemetry',
    programs: () => [python(OPENINFERENCE_PYTHON)],
  },
  {
    id: 'openllmetry',
    name: 'OpenLLMetry',
    group: 'OpenTelemetry',
    about: 'Here for Anthropic. Its other instrumentations take the same provider.',
    environment: 'opentelemetry',
    programs: () => [python(OPENLLMETRY_PYTHON)],
  },
  {
    id: 'langfuse',
    name: 'Langfuse SDK',
    group: 'OpenTelemetry',
    about: 'The secret key is a key of this server. The public key may be any text.',
    environment: 'langfuse',
    programs: ({ project }) => [python(printLangfuseProgram(toHeaderValue(project)))],
  },
  {
    id: 'langchain',
    name: 'LangChain',
    group: 'Framework',
    about: 'LangChain and LangGraph send their runs themselves.',
    environment: 'langsmith',
    programs: () => [python(LANGCHAIN_PYTHON), typescript(LANGCHAIN_TYPESCRIPT)],
  },
  {
    id: 'llamaindex',
    name: 'LlamaIndex',
    group: 'Framework',
    environment: 'opentelemetry',
    programs: () => [python(LLAMAINDEX_PYTHON)],
  },
  {
    id: 'crewai',
    name: 'CrewAI',
    group: 'Framework',
    environment: 'opentelemetry',
    programs: () => [python(CREWAI_PYTHON)],
  },
  {
    id: 'pydantic-ai',
    name: 'Pydantic AI',
    group: 'Framework',
    environment: 'opentelemetry',
    programs: () => [python(PYDANTIC_AI_PYTHON)],
  },
  {
    id: 'ai-sdk',
    name: 'Vercel AI SDK',
    group: 'Framework',
    about: 'Version 7. Versions 4 to 6 need experimental_telemetry: { isEnabled: true } on each call instead.',
    environment: 'opentelemetry',
    programs: () => [typescript(AI_SDK_TYPESCRIPT)],
  },
]

/** The quickstart with this id; the first one for an unknown id. */
export function findQuickstart(id: string | undefined): Quickstart {
  const [first] = QUICKSTARTS
  if (first === undefined) throw new Error('There are no quickstarts.')
  return QUICKSTARTS.find((one) => one.id === id) ?? first
}

const PROJECT_HEADER = 'Langsmith-Project'

/** Clients refuse to send other characters in a header; the server decodes the name. */
function toHeaderValue(text: string): string {
  return /^[ -~]*$/.test(text) ? text : encodeURIComponent(text)
}

function toHeaders({ apiKey, project }: SnippetFacts): Record<string, string> {
  return { 'x-api-key': apiKey, [PROJECT_HEADER]: toHeaderValue(project) }
}

/** As exporters read them: pairs with commas between them, percent-encoded. */
function printHeaders(facts: SnippetFacts): string {
  const pairs = Object.entries(toHeaders(facts)).map(([name, value]) => `${name}=${encodeHeader(value)}`)
  return pairs.join(',')
}

/** Keeps `<your key>` readable. */
const encodeHeader = (value: string) => (/^<[\w ]+>$/.test(value) ? value : encodeURIComponent(value))
