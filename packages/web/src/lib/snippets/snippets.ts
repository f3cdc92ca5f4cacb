export interface SnippetFacts {
  /** `http://localhost:3000` */
  origin: string
  apiKey: string
  project: string
}

/** The environment that points any client here. */
export function environment({ origin, apiKey, project }: SnippetFacts): string {
  return [
    'export LANGSMITH_TRACING=true',
    `export LANGSMITH_ENDPOINT=${origin}/api/v1`,
    `export LANGSMITH_API_KEY=${apiKey}`,
    `export LANGSMITH_PROJECT=${shellWord(project)}`,
  ].join('\n')
}

/** The environment that sends the traces of a program to an agent. */
export function agentEnvironment(facts: { origin: string; apiKey: string; agentId: string }): string {
  return [
    'export LANGSMITH_TRACING=true',
    `export LANGSMITH_ENDPOINT=${facts.origin}/api/v1`,
    `export LANGSMITH_API_KEY=${facts.apiKey}`,
    `export LANGSMITH_AGENT_ID=${facts.agentId}`,
    'export LANGSMITH_AGENT_ENVIRONMENT=production',
    'unset LANGSMITH_PROJECT',
  ].join('\n')
}

export const PYTHON = `# pip install langsmith
from langsmith import traceable

@traceable
def greet(name: str) -> str:
    return f"Hello, {name}!"

print(greet("Touchstone"))`

export const TYPESCRIPT = `// npm install @touchstone/sdk
import { traceable } from '@touchstone/sdk/traceable'

const greet = traceable(async (name: string) => \`Hello, \${name}!\`, { name: 'greet' })

console.log(await greet('Touchstone'))`

/** Turns of one conversation share an id in their metadata. */
export const THREAD_PYTHON = `from langsmith import traceable

@traceable
def answer(question: str) -> str:
    return f"You asked: {question}"

answer(
    "How do I reset my password?",
    langsmith_extra={"metadata": {"thread_id": "42"}},
)`

export const THREAD_TYPESCRIPT = `import { traceable } from '@touchstone/sdk/traceable'

const answer = traceable(
  async (question: string) => \`You asked: \${question}\`,
  { name: 'answer', metadata: { thread_id: '42' } },
)

await answer('How do I reset my password?')`

/** One run by hand, complete in a single call. */
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
    // Times are filled in by the shell, so that the run is new whenever it is pasted.
    `  -d ${shellWord(`${body},"start_time":"`)}"$(date -u +%FT%TZ)"${shellWord('","end_time":"')}"$(date -u +%FT%TZ)"${shellWord('"}')}`,
  ].join('\n')
}

/** Whether links that SDKs print need help: they guess the UI's address from a local endpoint. */
export function isLocalOrigin(origin: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname)
}

/** Quoted for a POSIX shell where it needs to be. */
function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
