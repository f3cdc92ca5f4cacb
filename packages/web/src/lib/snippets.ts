export interface SnippetFacts {
  /** `http://localhost:3000` */
  origin: string
  apiKey: string
  project: string
}

export interface LabeledSnippet {
  readonly label: string
  readonly text: string
}

/** Names with their values; undefined for a variable that must not be set. */
type Variables = readonly (readonly [name: string, value: string | undefined])[]

/** The same variables for each way of setting them. */
export function printVariables(variables: Variables): LabeledSnippet[] {
  const set = (print: (name: string, value: string) => string, unset: (name: string) => string) =>
    variables.map(([name, value]) => (value === undefined ? unset(name) : print(name, value))).join('\n')
  return [
    {
      label: 'macOS, Linux',
      text: set(
        (name, value) => `export ${name}=${quoteForShell(value)}`,
        (name) => `unset ${name}`,
      ),
    },
    {
      label: 'Windows PowerShell',
      text: set(
        (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
        (name) => `Remove-Item Env:${name} -ErrorAction Ignore`,
      ),
    },
    {
      label: '.env',
      text: `# Python: dotenv run -- python app.py (pip install "python-dotenv[cli]")\n# Node: node --env-file=.env app.mjs\n${set(
        (name, value) => `${name}=${quoteForEnvFile(value)}`,
        (name) => `# ${name} must not be set`,
      )}`,
    },
  ]
}

/** The environment variables of a client of this server. */
export function environment({ origin, apiKey, project }: SnippetFacts): LabeledSnippet[] {
  return printVariables([
    ['LANGSMITH_TRACING', 'true'],
    ['LANGSMITH_ENDPOINT', `${origin}/api/v1`],
    ['LANGSMITH_API_KEY', apiKey],
    ['LANGSMITH_PROJECT', project],
  ])
}

/** The environment variables that send traces to an agent. */
export function agentEnvironment(facts: { origin: string; apiKey: string; agentId: string }): LabeledSnippet[] {
  return printVariables([
    ['LANGSMITH_TRACING', 'true'],
    ['LANGSMITH_ENDPOINT', `${facts.origin}/api/v1`],
    ['LANGSMITH_API_KEY', facts.apiKey],
    ['LANGSMITH_AGENT_ID', facts.agentId],
    ['LANGSMITH_AGENT_ENVIRONMENT', 'production'],
    ['LANGSMITH_PROJECT', undefined],
  ])
}

export const PYTHON = `# pip install langsmith
from langsmith import traceable

@traceable
def greet(name: str) -> str:
    return f"Hello, {name}!"

print(greet("Touchstone"))`

export const TYPESCRIPT = `// npm install langsmith
// Save as greet.mts and run: npx tsx greet.mts
import { traceable } from 'langsmith/traceable'

const greet = traceable(async (name: string) => \`Hello, \${name}!\`, { name: 'greet' })

console.log(await greet('Touchstone'))`

/** Turns of one thread have the same id in their metadata. */
export const THREAD_PYTHON = `from langsmith import traceable

@traceable
def answer(question: str) -> str:
    return f"You asked: {question}"

answer(
    "How do I reset my password?",
    langsmith_extra={"metadata": {"thread_id": "42"}},
)`

export const THREAD_TYPESCRIPT = `import { traceable } from 'langsmith/traceable'

const answer = traceable(
  async (question: string) => \`You asked: \${question}\`,
  { name: 'answer', metadata: { thread_id: '42' } },
)

await answer('How do I reset my password?')`

/** The environment variables of a program that runs experiments. */
export function evaluateEnvironment({ origin, apiKey }: Pick<SnippetFacts, 'origin' | 'apiKey'>): LabeledSnippet[] {
  return printVariables([
    ['LANGSMITH_ENDPOINT', `${origin}/api/v1`],
    ['LANGSMITH_API_KEY', apiKey],
  ])
}

/** A program that runs an experiment over a dataset with the public Python client. */
export function evaluateInPython(datasetName: string): string {
  return `# pip install langsmith
from langsmith import evaluate

def target(inputs: dict) -> dict:
    # Call your application here.
    return {"answer": "Hello, " + str(inputs)}

def exact_match(outputs: dict, reference_outputs: dict) -> bool:
    return outputs == reference_outputs

evaluate(
    target,
    data=${JSON.stringify(datasetName)},
    evaluators=[exact_match],
    experiment_prefix="first",
)`
}

/** The same with the public JavaScript client. */
export function evaluateInTypeScript(datasetName: string): string {
  return `// npm install langsmith
// Save as evaluate.mts and run: npx tsx evaluate.mts
import { isDeepStrictEqual } from 'node:util'
import { evaluate } from 'langsmith/evaluation'

type Fields = Record<string, unknown>

async function target(inputs: Fields) {
  // Call your application here.
  return { answer: 'Hello, ' + JSON.stringify(inputs) }
}

function exactMatch({ outputs, referenceOutputs }: { outputs: Fields; referenceOutputs?: Fields }) {
  return { key: 'exact_match', score: isDeepStrictEqual(outputs, referenceOutputs) }
}

await evaluate(target, {
  data: ${JSON.stringify(datasetName)},
  evaluators: [exactMatch],
  experimentPrefix: 'first',
})`
}

/** A request that creates one complete run. */
export function curl({ origin, apiKey, project }: SnippetFacts): string {
  const run = {
    name: 'greet',
    run_type: 'chain',
    session_name: project,
    inputs: { name: 'Touchstone' },
    outputs: { output: 'Hello, Touchstone!' },
  }
  const body = JSON.stringify(run).slice(0, -1)
  return [
    `curl -sS ${origin}/api/v1/runs \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H 'x-api-key: ${apiKey}' \\`,
    // The shell fills in the times, so that the run is always new.
    `  -d ${quoteForShell(`${body},"start_time":"`)}"$(date -u +%FT%TZ)"${quoteForShell('","end_time":"')}"$(date -u +%FT%TZ)"${quoteForShell('"}')}`,
  ].join('\n')
}

/** Whether SDKs may print wrong links: they guess the URL of the UI from a local endpoint. */
export function isLocalOrigin(origin: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname)
}

/** Text that no shell and no reader of .env files treats specially. */
const PLAIN = /^[\w./:@-]+$/

/** Quotes text for a POSIX shell if needed. */
export function quoteForShell(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes text with a kind of quote that it does not contain, because readers of .env files disagree about escapes. */
function quoteForEnvFile(text: string): string {
  if (PLAIN.test(text)) return text
  const quote = ["'", '"', '`'].find((one) => !text.includes(one)) ?? '"'
  return quote + text + quote
}

/** A judge that compares two experiments over one dataset. */
export const PAIRWISE_PYTHON = `from langsmith import evaluate

def helpful(inputs: dict, outputs: list[dict]) -> list[float]:
    # Ask a model here; 1 for the better answer.
    lengths = [len(str(output)) for output in outputs]
    return [float(length == max(lengths)) for length in lengths]

evaluate(
    ("first-experiment", "second-experiment"),
    evaluators=[helpful],
    randomize_order=True,
)`

export const PAIRWISE_TYPESCRIPT = `import { evaluate } from 'langsmith/evaluation'

await evaluate(['first-experiment', 'second-experiment'], {
  evaluators: [
    ({ runs, outputs }: { runs: { id: string }[]; outputs?: object[] }) => {
      // Ask a model here; 1 for the better answer.
      const lengths = (outputs ?? []).map((output) => JSON.stringify(output).length)
      const best = Math.max(...lengths)
      const scores = runs.map((run, at) => [run.id, lengths[at] === best ? 1 : 0])
      return { key: 'helpful', scores: Object.fromEntries(scores) }
    },
  ],
  randomizeOrder: true,
})`

/** Which examples a program reads. */
export interface ExamplesRead {
  readonly dataset: string
  readonly asOf: string | undefined
  readonly split: string | undefined
}

/** Programs that read examples of a dataset. */
export function readExamplesSnippets({ dataset, asOf, split }: ExamplesRead) {
  const text = JSON.stringify
  const python = [
    'from langsmith import Client',
    '',
    'client = Client()',
    'examples = client.list_examples(',
    `    dataset_name=${text(dataset)},`,
    ...(asOf === undefined ? [] : [`    as_of=${text(asOf)},`]),
    ...(split === undefined ? [] : [`    splits=[${text(split)}],`]),
    ')',
    'for example in examples:',
    '    print(example.inputs, example.outputs)',
  ]
  const parts = [
    `datasetName: ${text(dataset)}`,
    ...(asOf === undefined ? [] : [`asOf: ${text(asOf)}`]),
    ...(split === undefined ? [] : [`splits: [${text(split)}]`]),
  ]
  const typescript = [
    "import { Client } from 'langsmith'",
    '',
    'const client = new Client()',
    `for await (const example of client.listExamples({ ${parts.join(', ')} })) {`,
    '  console.log(example.inputs, example.outputs)',
    '}',
  ]
  return [
    { label: 'Python', text: python.join('\n') },
    { label: 'TypeScript', text: typescript.join('\n') },
  ]
}
